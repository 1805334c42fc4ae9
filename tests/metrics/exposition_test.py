"""What the exposition writes, as the parser of Prometheus's own client library reads it."""

import math
import os
import subprocess
import unittest

from prometheus_client.parser import text_string_to_metric_families


def families():
    text = subprocess.run(
        [os.environ["SLUICE_METRICS_PROBE"]], capture_output=True, encoding="utf-8", check=True, timeout=60
    ).stdout
    return list(text_string_to_metric_families(text))


class Exposition(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.families = {family.name: family for family in families()}

    def samples(self, family):
        return {tuple(sorted(sample.labels.items())): sample.value for sample in self.families[family].samples}

    def test_labels_and_help_come_back_as_they_were_given(self):
        # The client library names counters without their _total.
        family = self.families["probe_requests"]
        self.assertEqual((family.type, family.documentation), ("counter", "Help with a \\ and\na second line."))
        self.assertEqual(
            [(sample.name, sample.labels["key"], sample.value) for sample in family.samples],
            [
                ("probe_requests_total", 'a\\b"c\nd,e{f}=\u00e9', float(2**64 - 1)),
                ("probe_requests_total", "", 0.0),
                ("probe_requests_total", "\ufffd\ufffd", 1.0),
            ],
        )

    def test_special_numbers_come_back(self):
        samples = self.samples("probe_special")
        self.assertTrue(math.isnan(samples[(("is", "nan"),)]))
        self.assertEqual(samples[(("is", "inf"),)], math.inf)
        self.assertEqual(samples[(("is", "minus_inf"),)], -math.inf)
        self.assertEqual(samples[(("is", "tenth"),)], 0.1)
        self.assertEqual(samples[(("is", "least"),)], 5e-324)
        self.assertEqual(self.samples("probe_plain"), {(): -1.5})

    def test_histograms_are_cumulative_and_end_in_infinity(self):
        family = self.families["probe_seconds"]
        self.assertEqual(family.type, "histogram")
        buckets = [
            (float(sample.labels["le"]), sample.value)
            for sample in family.samples
            if sample.name == "probe_seconds_bucket" and sample.labels["door"] == "http"
        ]
        self.assertEqual([bound for bound, _ in buckets], sorted(bound for bound, _ in buckets))
        self.assertEqual([count for _, count in buckets], sorted(count for _, count in buckets))
        by_bound = dict(buckets)
        self.assertEqual((by_bound[1e-6], by_bound[0.0025], by_bound[0.005], by_bound[10.0]), (2, 2, 3, 3))
        self.assertEqual(buckets[-1], (math.inf, 4))
        figures = {sample.name: sample.value for sample in family.samples if sample.labels["door"] == "http"}
        self.assertEqual((figures["probe_seconds_count"], figures["probe_seconds_sum"]), (4, 60.003002))

    def test_the_process_is_told_as_client_libraries_tell_it(self):
        for name in ("cpu_seconds", "resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds"):
            self.assertGreaterEqual(self.samples(f"process_{name}")[()], 0, name)
        self.assertGreater(self.samples("process_start_time_seconds")[()], 1.5e9)
        self.assertEqual(self.families["process_cpu_seconds"].type, "counter")


if __name__ == "__main__":
    unittest.main()
