#include "documents/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace sluice::documents {
namespace {

struct ReadFile : testing::Test {
  ReadFile() { std::filesystem::create_directories(folder); }
  ~ReadFile() override { std::filesystem::remove_all(folder); }

  std::string why(const std::filesystem::path& path, size_t most = 10) {
    const auto content = read_file(path, most);
    return std::holds_alternative<Unreadable>(content) ? std::get<Unreadable>(content).why : "it can be read";
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sluice_read_file_" + std::to_string(getpid()));
};

TEST_F(ReadFile, GivesTheBytesAsTheyAre) {
  std::ofstream(folder / "a") << std::string("a\0b\n", 4);
  EXPECT_EQ(std::get<std::string>(read_file(folder / "a", 10)), std::string("a\0b\n", 4));
  std::ofstream(folder / "empty");
  EXPECT_EQ(std::get<std::string>(read_file(folder / "empty", 10)), "");
}

TEST_F(ReadFile, SaysWhyItCannot) {
  std::ofstream(folder / "long") << "12345678901";
  EXPECT_EQ(why(folder / "none"), "No such file or directory");
  EXPECT_EQ(why(folder), "it is a folder");
  EXPECT_EQ(why(folder / "long"), "it has more than 10 bytes");
  EXPECT_EQ(why("/dev/null"), "it is no regular file");
  EXPECT_EQ(why(std::string("a\0b", 3)), "its name has a zero byte");
}

TEST_F(ReadFile, DoesNotWaitForAPipeThatNobodyWrites) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(why(folder / "pipe"), "it is no regular file");
}

TEST(DropLineEnd, TakesOneLineEndAway) {
  for (const auto& [text, expected] : {std::pair("a", "a"), {"a\n", "a"}, {"a\r\n", "a"}, {"a\n\n", "a\n"}, {"", ""}}) {
    std::string dropped = text;
    drop_line_end(dropped);
    EXPECT_EQ(dropped, expected);
  }
}

TEST(GuessFormat, GoesByTheNameAndThenByTheText) {
  EXPECT_EQ(guess_format("a.json", "a: 1"), Format::kJson);
  EXPECT_EQ(guess_format("a.yaml", "{}"), Format::kYaml);
  EXPECT_EQ(guess_format("a.yml", "{}"), Format::kYaml);
  EXPECT_EQ(guess_format("a.conf", " \n{}"), Format::kJson);
  EXPECT_EQ(guess_format("", "a: 1"), Format::kYaml);
}

}  // namespace
}  // namespace sluice::documents
