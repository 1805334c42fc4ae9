#include "doors/policy_list.h"

#include <array>
#include <charconv>

#include "doors/quota.h"

namespace sluice::doors {
namespace {

using limiter::BucketAnswer;

// What a bucket that belongs to no rule is called, as one asked for by its rate and burst.
constexpr std::string_view kUnnamed = "default";
constexpr size_t kLongestNumber = 4;

constexpr uint8_t kEscaped = 1;  // printable, with a backslash before it
constexpr uint8_t kForeign = 2;  // not printable

constexpr std::array<uint8_t, 256> kTraits = [] {
  std::array<uint8_t, 256> traits{};
  for (size_t c = 0; c < traits.size(); ++c) traits[c] = c < 0x20 || c > 0x7e ? kForeign : 0;
  traits['"'] = kEscaped;
  traits['\\'] = kEscaped;
  return traits;
}();

uint8_t traits_of(char c) { return kTraits[static_cast<unsigned char>(c)]; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// One `_` for each character that is not printable. Returns the end of what it wrote, never nothing.
char* put_printable(std::string_view text, char* start, size_t room) {
  char* end = start;
  for (const char c : text) {
    if (end == start + room) break;
    if (traits_of(c) != kForeign) {
      *end++ = c;
    } else if (!continues_character(c) || end == start) {
      *end++ = '_';
    }
  }
  return end;
}

}  // namespace

inline bool QuotaPolicy::stands_for(const BucketAnswer& bucket) const {
  if (bucket_ == &bucket) return true;
  return quota_ == quota_of(*bucket.limit) && window_seconds_ == doors::window_seconds(*bucket.limit) &&
         bucket_->rule == bucket.rule;
}

inline void QuotaPolicy::set_name(std::string_view rule, size_t number) {
  if (rule.empty()) rule = kUnnamed;
  uint8_t traits = 0;
  for (const char c : rule) traits |= traits_of(c);
  is_plain_ = (traits & kEscaped) == 0;
  // Nearly always: a rule's name as it should be, and the only limit of it.
  if (number == 1 && (traits & kForeign) == 0 && rule.size() <= kLongestName) {
    name_ = rule.data();
    name_size_ = rule.size();
    return;
  }
  char* end = put_printable(rule, buffer_.data(), number > 1 ? kLongestName - kLongestNumber : kLongestName);
  if (number > 1) {
    *end++ = '-';
    end = std::to_chars(end, buffer_.data() + kLongestName, number).ptr;
  }
  name_ = buffer_.data();
  name_size_ = static_cast<size_t>(end - buffer_.data());
}

PolicyList::PolicyList(const limiter::Answer& answer) {
  if (answer.buckets.size() > kMost && answer.tightest != nullptr) add(*answer.tightest);
  for (const BucketAnswer& bucket : answer.buckets) add(bucket);
}

const QuotaPolicy* PolicyList::find(const BucketAnswer& bucket) const {
  for (const QuotaPolicy& policy : policies()) {
    if (policy.stands_for(bucket)) return &policy;
  }
  return nullptr;
}

void PolicyList::add(const BucketAnswer& bucket) {
  if (count_ == kMost || find(bucket) != nullptr) return;
  QuotaPolicy& policy = policies_[count_];
  policy.bucket_ = &bucket;
  policy.quota_ = quota_of(*bucket.limit);
  policy.window_seconds_ = window_seconds(*bucket.limit);
  // Ends: of kMost + 1 different names at least one is free.
  for (size_t number = 1; number == 1 || is_taken(policy.name()); ++number) policy.set_name(bucket.rule, number);
  ++count_;
}

bool PolicyList::is_taken(std::string_view name) const {
  for (const QuotaPolicy& policy : policies()) {
    if (policy.name() == name) return true;
  }
  return false;
}

}  // namespace sluice::doors
