#include "doors/policy_list.h"

#include <algorithm>
#include <charconv>

#include "doors/quota.h"

namespace sluice::doors {
namespace {

using limiter::BucketAnswer;

// What a bucket that belongs to no rule is called, as one asked for by its rate and burst.
constexpr std::string_view kUnnamed = "default";
constexpr size_t kLongestNumber = 4;

bool is_printable(char c) { return c >= 0x20 && c <= 0x7e; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

bool QuotaPolicy::stands_for(const BucketAnswer& bucket) const {
  return rule_ == bucket.rule && quota_ == quota_of(*bucket.limit) &&
         window_seconds_ == doors::window_seconds(*bucket.limit);
}

void QuotaPolicy::set_name(std::string_view rule, size_t number) {
  const size_t room = number > 1 ? kLongestName - kLongestNumber : kLongestName;
  char* end = name_.data();
  for (const char c : rule.empty() ? kUnnamed : rule) {
    if (end == name_.data() + room) break;
    if (is_printable(c)) {
      *end++ = c;
    } else if (!continues_character(c) || end == name_.data()) {
      *end++ = '_';
    }
  }
  if (number > 1) {
    *end++ = '-';
    end = std::to_chars(end, name_.data() + kLongestName, number).ptr;
  }
  name_size_ = static_cast<uint32_t>(end - name_.data());
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
  policy.rule_ = bucket.rule;
  policy.quota_ = quota_of(*bucket.limit);
  policy.window_seconds_ = window_seconds(*bucket.limit);
  // Ends: of kMost + 1 different names at least one is free.
  for (size_t number = 1; number == 1 || is_taken(policy.name()); ++number) policy.set_name(bucket.rule, number);
  ++count_;
}

bool PolicyList::is_taken(std::string_view name) const {
  return std::any_of(policies_.begin(), policies_.begin() + count_,
                     [&](const QuotaPolicy& policy) { return policy.name() == name; });
}

}  // namespace sluice::doors
