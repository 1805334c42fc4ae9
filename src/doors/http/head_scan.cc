#include "doors/http/head_scan.h"

#include <cstring>

#include "rules/letter_case.h"

namespace sluice::doors::http {
namespace {

// What the request line has beside its target: the longest method we know of, two blanks, the version, CR LF.
constexpr size_t kAroundTarget = 32;

}  // namespace

Fault HeadScan::look(std::string_view bytes, const Limits& limits) {
  // Every method there is begins so. What does not, may never have a line that ends.
  if (!rules::is_upper(bytes.front()) && !rules::is_lower(bytes.front())) return Fault::kStart;
  const std::string_view within = bytes.substr(0, limits.header_bytes);
  while (looked_at_ < within.size()) {
    const char* const from = within.data() + looked_at_;
    const void* const found = std::memchr(from, '\n', within.size() - looked_at_);
    if (found == nullptr) break;
    const auto newline = static_cast<size_t>(static_cast<const char*>(found) - within.data());
    if (const Fault fault = end_line(within, newline, limits); fault != Fault::kNone) return fault;
    if (is_done()) return Fault::kNone;
  }
  looked_at_ = static_cast<uint32_t>(within.size());
  if (lines_ == 0 && within.size() > limits.target_bytes + kAroundTarget) return Fault::kTargetBytes;
  return within.size() == limits.header_bytes ? Fault::kHeaderBytes : Fault::kNone;
}

Fault HeadScan::end_line(std::string_view bytes, size_t newline, const Limits& limits) {
  // In the order in which bytes that come one by one would show it.
  if (lines_ == 0 && newline > limits.target_bytes + kAroundTarget) return Fault::kTargetBytes;
  if (newline == line_start_ || bytes[newline - 1] != '\r') return Fault::kLineEnding;
  if (newline == line_start_ + 1) {
    size_ = static_cast<uint32_t>(newline + 1);
    return Fault::kNone;
  }
  const char first = bytes[line_start_];
  if (first == ' ' || first == '\t') return Fault::kFolded;
  if (++lines_ > limits.fields + 1) return Fault::kFields;
  looked_at_ = line_start_ = static_cast<uint32_t>(newline + 1);
  return Fault::kNone;
}

}  // namespace sluice::doors::http
