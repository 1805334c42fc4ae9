#include "doors/headers.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "doors/quota.h"
#include "doors/retry_after.h"

namespace sluice::doors {
namespace {

using limiter::Answer;
using limiter::BucketAnswer;

constexpr std::string_view kLegacyNames[3] = {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"};
constexpr std::string_view kXNames[3] = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"};

// The first whole second of the calendar at which the bucket is full.
int64_t full_at(const BucketAnswer& bucket, Duration since_epoch) {
  int64_t ns = 0;
  if (__builtin_add_overflow(since_epoch.ns, std::max<int64_t>(bucket.reset_after.ns, 0), &ns)) ns = INT64_MAX;
  return Duration(ns).ceil_seconds();
}

// These write at `end`, which stays in a register, and return where they ended.
inline char* put(std::string_view text, char* end) {
  std::memcpy(end, text.data(), text.size());
  return end + text.size();
}

inline char* put_integer(int64_t number, char* end) {
  const auto bounded = static_cast<uint64_t>(std::clamp<int64_t>(number, 0, HeaderFields::kLargestInteger));
  if (bounded >= 100) return std::to_chars(end, end + HeaderFields::kIntegerBytes, bounded).ptr;
  // Most of them are small.
  if (bounded >= 10) *end++ = static_cast<char>('0' + bounded / 10);
  *end++ = static_cast<char>('0' + bounded % 10);
  return end;
}

inline char* put_name(const QuotaPolicy& policy, char* end) {
  *end++ = '"';
  if (policy.is_plain()) {
    end = put(policy.name(), end);
  } else {
    for (const char c : policy.name()) {
      if (c == '"' || c == '\\') *end++ = '\\';
      *end++ = c;
    }
  }
  *end++ = '"';
  return end;
}

// `t` must not be later than Retry-After, which is at least the exact wait of the whole answer.
std::optional<int64_t> seconds_told(const Answer& answer) {
  auto seconds = seconds_to_more(*answer.tightest);
  if (seconds && !answer.allowed && answer.retry_after < kForever) {
    seconds = std::min(*seconds, std::max<int64_t>(answer.retry_after.ceil_seconds(), 1));
  }
  return seconds;
}

}  // namespace

void HeaderFields::render(const Answer& answer, const HeaderContext& context) {
  count_ = 0;
  char* end = buffer_.data();
  if (const BucketAnswer* tightest = answer.tightest) {
    const int64_t quota = quota_of(*tightest->limit);
    const int64_t remaining = whole_remaining(*tightest);
    if (context.sets.ietf) end = add_ietf(answer, end);
    if (context.sets.legacy) end = add_triple(kLegacyNames, {quota, remaining, reset_seconds(*tightest)}, end);
    if (context.sets.x) end = add_triple(kXNames, {quota, remaining, full_at(*tightest, context.since_epoch)}, end);
  }
  if (!answer.allowed) {
    add_rejection(answer, end);
  } else if (answer.delay > Duration()) {
    add_integer("X-Sluice-Delay-Ms", answer.delay.ceil_millis(), end);
  }
}

char* HeaderFields::add_ietf(const Answer& answer, char* end) {
  const PolicyList list(answer);
  const QuotaPolicy* tightest = list.find(*answer.tightest);
  if (tightest == nullptr) return end;
  char* start = end;
  for (const QuotaPolicy& policy : list.policies()) {
    if (end != start) end = put(", ", end);
    end = put_name(policy, end);
    end = put_integer(policy.quota(), put(";q=", end));
    end = put_integer(policy.window_seconds(), put(";w=", end));
  }
  start = add("RateLimit-Policy", start, end);
  end = put_name(*tightest, start);
  end = put_integer(whole_remaining(*answer.tightest), put(";r=", end));
  if (const auto seconds = seconds_told(answer)) end = put_integer(*seconds, put(";t=", end));
  return add("RateLimit", start, end);
}

char* HeaderFields::add_triple(const std::string_view (&names)[3], const int64_t (&values)[3], char* end) {
  for (size_t i = 0; i < 3; ++i) end = add_integer(names[i], values[i], end);
  return end;
}

char* HeaderFields::add_rejection(const Answer& answer, char* end) {
  if (const auto seconds = retry_after_seconds(answer)) end = add_integer("Retry-After", *seconds, end);
  return add("X-Sluice-Reason", end, put(limiter::reason_text(answer).substr(0, kLongestReason), end));
}

char* HeaderFields::add_integer(std::string_view name, int64_t value, char* end) {
  return add(name, end, put_integer(value, end));
}

char* HeaderFields::add(std::string_view name, char* start, char* end) {
  fields_[count_++] = {name, {start, static_cast<size_t>(end - start)}};
  return end;
}

}  // namespace sluice::doors
