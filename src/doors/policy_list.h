// The limits that callers are told of, each under a name of its own: what RateLimit-Policy lists, and what problem
// bodies name as violated. Allocates nothing.
//
// A limit is called as its rule. Where a rule has several, the second is `free-2`, the third `free-3`, in the order of
// the file; so are rules of the same name in several policies. Limits with the same rule, quota and window are one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "limiter/answer.h"

namespace sluice::doors {

class QuotaPolicy {
 public:
  // In bytes. Longer names of rules are cut to it; what makes them unique comes after the cut.
  static constexpr size_t kLongestName = 64;

  // Printable ASCII, never empty: what else is in a rule's name is shown as `_`, one for each character.
  std::string_view name() const { return {name_, name_size_}; }
  // Whether a structured field can carry it as it is: no quotes, no backslashes.
  bool is_plain() const { return is_plain_; }
  int64_t quota() const { return quota_; }
  int64_t window_seconds() const { return window_seconds_; }

 private:
  friend class PolicyList;
  bool stands_for(const limiter::BucketAnswer& bucket) const;
  void set_name(std::string_view rule, size_t number);

  const limiter::BucketAnswer* bucket_;  // the first of those it stands for
  int64_t quota_;
  int64_t window_seconds_;
  const char* name_;  // the rule's own, or what is made of it in buffer_
  size_t name_size_;
  bool is_plain_;
  std::array<char, kLongestName> buffer_;
};

// Points to buckets and names of the answer, which must outlive it.
class PolicyList {
 public:
  // As many as a request may have takes. Were there more buckets, the tightest would be among those told.
  static constexpr size_t kMost = 32;

  explicit PolicyList(const limiter::Answer& answer);
  PolicyList(const PolicyList&) = delete;
  PolicyList& operator=(const PolicyList&) = delete;

  // In the order of the answer's buckets.
  std::span<const QuotaPolicy> policies() const { return {policies_.data(), count_}; }
  // nullptr for a bucket that is not told of.
  const QuotaPolicy* find(const limiter::BucketAnswer& bucket) const;

 private:
  void add(const limiter::BucketAnswer& bucket);
  bool is_taken(std::string_view name) const;

  size_t count_ = 0;
  // Only the first count_ have values: setting all of them would take longer than the rest.
  std::array<QuotaPolicy, kMost> policies_;
};

}  // namespace sluice::doors
