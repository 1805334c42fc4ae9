// The header fields of a decision: where the caller stands, and when rejected, why and for how long.
// docs/headers.md says what each of them means.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "doors/policy_list.h"
#include "limiter/answer.h"
#include "rules/model.h"

namespace sluice::doors {

struct HeaderField {
  std::string_view name;   // a literal, in the case in which it is documented
  std::string_view value;  // printable ASCII, whatever rules and keys contain
};

struct HeaderContext {
  rules::HeaderSets sets;
  Duration since_epoch;  // the calendar's time; only the set `x` reads it
};

// Owns what its fields view: reuse one for each connection. Has room for the worst case, so nothing is ever cut, and
// allocates nothing. Not thread-safe.
class HeaderFields {
 public:
  // Both sets with names of their own, the three of each of the others, and why and how long.
  static constexpr size_t kMostFields = 2 + 3 + 3 + 2;
  // What structured fields can carry.
  static constexpr int64_t kLargestInteger = 999'999'999'999'999;
  static constexpr size_t kIntegerBytes = 15;

  HeaderFields() = default;
  HeaderFields(const HeaderFields&) = delete;
  HeaderFields& operator=(const HeaderFields&) = delete;

  // Replaces what was there. Shadow rules do not show; with no bucket, none of the sets does.
  void render(const limiter::Answer& answer, const HeaderContext& context);

  std::span<const HeaderField> fields() const { return {fields_.data(), count_}; }

 private:
  static constexpr size_t kLongestReason = 64;
  // Every byte of a name may need a backslash; then quotes, `;q=`, `;w=`, and the comma to the next.
  static constexpr size_t kPolicyBytes = 2 * QuotaPolicy::kLongestName + 2 + 2 * (3 + kIntegerBytes) + 2;
  static constexpr size_t kBytes =
      (PolicyList::kMost + 1) * kPolicyBytes + kMostFields * kIntegerBytes + kLongestReason;

  // Each writes at `end` and returns where it ended.
  char* add_ietf(const limiter::Answer& answer, char* end);
  char* add_triple(const std::string_view (&names)[3], const int64_t (&values)[3], char* end);
  char* add_rejection(const limiter::Answer& answer, char* end);
  char* add_integer(std::string_view name, int64_t value, char* end);
  char* add(std::string_view name, char* start, char* end);

  size_t count_ = 0;
  std::array<HeaderField, kMostFields> fields_;
  // Not cleared: what is not written is not read.
  std::array<char, kBytes> buffer_;
};

}  // namespace sluice::doors
