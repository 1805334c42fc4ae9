"""Tests examples.py on small pages."""

import unittest

import examples

PAGE = """Words.

```cpp
#include <cstdio>

std::puts("hello");
```

```text
hello
```

```sh
make test
```

```c
int main(void) { return 0; }
```
"""


class Examples(unittest.TestCase):
    def test_every_program_of_a_page_is_found_under_the_line_it_starts_in(self):
        found = [example.name + example.suffix for example in examples.examples("page", PAGE)]
        self.assertEqual(found, ["page_3.cc", "page_17.c"])

    def test_a_block_without_main_becomes_the_body_of_one_and_keeps_its_includes(self):
        source = examples.examples("page", PAGE)[0].source
        self.assertEqual(source.lstrip(), '#include <cstdio>\n\nint main() { std::puts("hello");\n}\n')

    def test_lines_keep_their_numbers(self):
        for example in examples.examples("page", PAGE):
            for number, line in enumerate(example.source.splitlines()[:-1]):
                self.assertTrue(line == "" or line.endswith(PAGE.splitlines()[number]), line)

    def test_a_block_with_main_stays_as_it_is(self):
        self.assertTrue(examples.examples("page", PAGE)[1].source.endswith("\nint main(void) { return 0; }\n"))

    def test_the_text_that_follows_is_what_the_program_prints(self):
        self.assertEqual([e.prints for e in examples.examples("page", PAGE)], ["hello\n", None])

    def test_a_block_that_does_not_end_is_refused(self):
        with self.assertRaisesRegex(ValueError, "line 3"):
            list(examples.blocks(PAGE.split("std::puts")[0]))


if __name__ == "__main__":
    unittest.main()
