#include "audit/writer_name.h"

#include <fcntl.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "audit/files.h"

namespace sluice::audit {
namespace {

constexpr int64_t kReserved = 1 << 20;
constexpr size_t kNameSize = 32;
constexpr size_t kLongestFile = 256;

int64_t unix_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string draw_name() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, kNameSize / 2> bytes{};
  static_cast<void>(getrandom(bytes.data(), bytes.size(), 0) > 0);
  std::string name;
  for (const unsigned char byte : bytes) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 0xf];
  }
  return name;
}

}  // namespace

WriterName::WriterName() : name_(draw_name()), next_(unix_us()) {}

// The file is `<name> <number>`. One that is not whole is none: a new name begins anew.
sql::Outcome<WriterName> WriterName::load(const std::filesystem::path& folder) {
  WriterName writer;
  writer.file_ = folder / "writer";
  if (const auto file = open_file(writer.file_, O_RDONLY)) {
    const auto content = read_at(*file, writer.file_, kLongestFile, 0);
    if (!content) return content.fault();
    int64_t number = 0;
    const char* const end = content->data() + content->size();
    const bool is_named = content->size() > kNameSize + 1 && (*content)[kNameSize] == ' ';
    if (is_named && std::from_chars(content->data() + kNameSize + 1, end, number).ec == std::errc()) {
      writer.name_ = content->substr(0, kNameSize);
      writer.next_ = std::max(writer.next_, number);
    }
  }
  if (const auto done = writer.reserve(); !done) return done.fault();
  return writer;
}

sql::Outcome<sql::Done> WriterName::reserve() {
  reserved_ = next_ + kReserved;
  return replace_file(file_, name_ + " " + std::to_string(reserved_) + "\n");
}

int64_t WriterName::next_number() {
  // Where the disk refuses, the clock alone keeps the numbers of the next process apart.
  if (next_ == reserved_) static_cast<void>(static_cast<bool>(reserve()));
  return next_++;
}

}  // namespace sluice::audit
