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
  end_ = buffer_.data();
  if (const BucketAnswer* tightest = answer.tightest) {
    if (context.sets.ietf) render_ietf(answer);
    if (context.sets.legacy) render_triple(kLegacyNames, *tightest, reset_seconds(*tightest));
    if (context.sets.x) render_triple(kXNames, *tightest, full_at(*tightest, context.since_epoch));
  }
  if (!answer.allowed) {
    render_rejection(answer);
  } else if (answer.delay > Duration()) {
    add_integer("X-Sluice-Delay-Ms", answer.delay.ceil_millis());
  }
}

void HeaderFields::render_ietf(const Answer& answer) {
  const PolicyList list(answer);
  const QuotaPolicy* tightest = list.find(*answer.tightest);
  if (tightest == nullptr) return;
  begin("RateLimit-Policy");
  for (const QuotaPolicy& policy : list.policies()) {
    if (&policy != list.policies().data()) put(", ");
    put_string(policy.name());
    put(";q=");
    put_integer(policy.quota());
    put(";w=");
    put_integer(policy.window_seconds());
  }
  end();
  begin("RateLimit");
  put_string(tightest->name());
  put(";r=");
  put_integer(whole_remaining(*answer.tightest));
  if (const auto seconds = seconds_told(answer)) {
    put(";t=");
    put_integer(*seconds);
  }
  end();
}

void HeaderFields::render_triple(const std::string_view (&names)[3], const BucketAnswer& bucket, int64_t reset) {
  add_integer(names[0], quota_of(*bucket.limit));
  add_integer(names[1], whole_remaining(bucket));
  add_integer(names[2], reset);
}

void HeaderFields::render_rejection(const Answer& answer) {
  if (const auto seconds = retry_after_seconds(answer)) add_integer("Retry-After", *seconds);
  begin("X-Sluice-Reason");
  put(limiter::reason_text(answer).substr(0, kLongestReason));
  end();
}

void HeaderFields::begin(std::string_view name) { fields_[count_] = {name, {end_, 0}}; }

void HeaderFields::end() {
  std::string_view& value = fields_[count_++].value;
  value = {value.data(), static_cast<size_t>(end_ - value.data())};
}

void HeaderFields::put(std::string_view text) {
  std::memcpy(end_, text.data(), text.size());
  end_ += text.size();
}

void HeaderFields::put_integer(int64_t number) {
  end_ = std::to_chars(end_, end_ + kIntegerBytes, std::clamp<int64_t>(number, 0, kLargestInteger)).ptr;
}

void HeaderFields::put_string(std::string_view printable) {
  char* end = end_;
  *end++ = '"';
  for (const char c : printable) {
    if (c == '"' || c == '\\') *end++ = '\\';
    *end++ = c;
  }
  *end++ = '"';
  end_ = end;
}

void HeaderFields::add_integer(std::string_view name, int64_t number) {
  begin(name);
  put_integer(number);
  end();
}

}  // namespace sluice::doors
