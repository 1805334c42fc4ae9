#include "doors/http/chunks.h"

#include <charconv>
#include <optional>

namespace sluice::doors::http {
namespace {

constexpr size_t kLongestLine = 256;

// Nothing where there is none. Extensions are passed over, but must be printable.
std::optional<size_t> size_of(std::string_view line) {
  size_t size = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(end, static_cast<size_t>(line.data() + line.size() - end));
  if (!rest.empty() && rest.front() != ';') return std::nullopt;
  for (const char c : rest) {
    if ((c < ' ' && c != '\t') || c == 0x7f) return std::nullopt;
  }
  return size;
}

// The line that begins at `bytes`, without its end; a fault if it is too long or ends in LF alone.
struct Line {
  std::string_view text;
  bool is_whole = false;
  Fault fault = Fault::kNone;
};

Line line_of(std::string_view bytes) {
  const std::string_view within = bytes.substr(0, kLongestLine);
  const size_t newline = within.find('\n');
  if (newline == within.npos) return {{}, false, within.size() == kLongestLine ? Fault::kChunk : Fault::kNone};
  if (newline == 0 || within[newline - 1] != '\r') return {{}, false, Fault::kChunk};
  return {within.substr(0, newline - 1), true, Fault::kNone};
}

}  // namespace

Fault ChunkScan::look(std::string_view bytes, const Limits& limits) {
  while (!is_done()) {
    if (at_ > limits.encoded_bytes()) return Fault::kBodyBytes;
    if (stage_ == Stage::kData) {
      const size_t before = at_;
      const Fault fault = pass_data(bytes);
      if (fault != Fault::kNone || at_ == before) return fault;
      continue;
    }
    const Line line = line_of(bytes.substr(at_));
    if (!line.is_whole) return line.fault;
    if (stage_ == Stage::kSize) {
      if (const Fault fault = read_size(line.text, limits); fault != Fault::kNone) return fault;
    } else if (line.text.empty()) {
      stage_ = Stage::kDone;
    } else if (line.text.find('\r') != line.text.npos) {
      return Fault::kChunk;
    }
    at_ += line.text.size() + 2;
  }
  return Fault::kNone;
}

Fault ChunkScan::read_size(std::string_view line, const Limits& limits) {
  const auto size = size_of(line);
  if (!size) return Fault::kChunk;
  if (*size > limits.body_bytes - total_) return Fault::kBodyBytes;
  total_ += *size;
  data_ = *size;
  stage_ = *size == 0 ? Stage::kTrailer : Stage::kData;
  return Fault::kNone;
}

Fault ChunkScan::pass_data(std::string_view bytes) {
  const std::string_view end = bytes.substr(at_).size() > data_ ? bytes.substr(at_ + data_, 2) : "";
  if (end != std::string_view("\r\n").substr(0, end.size())) return Fault::kChunk;
  if (end.size() < 2) return Fault::kNone;
  at_ += data_ + 2;
  stage_ = Stage::kSize;
  return Fault::kNone;
}

void join_chunks(std::string_view bytes, std::string& body) {
  while (true) {
    const std::string_view line = line_of(bytes).text;
    const size_t size = size_of(line).value_or(0);
    if (size == 0) return;
    body.append(bytes, line.size() + 2, size);
    bytes.remove_prefix(line.size() + 2 + size + 2);
  }
}

}  // namespace sluice::doors::http
