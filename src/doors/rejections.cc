#include "doors/rejections.h"

#include <array>
#include <cstdint>
#include <utility>

namespace sluice::doors {
namespace {

using audit::Rejection;
using limiter::Answer;
using limiter::BucketAnswer;
using limiter::Reason;

// Subjects of different kinds are never counted together, whatever their bytes are.
enum class Origin : uint8_t { kNamed, kRule, kNoBucket };

constexpr uint32_t kByCaller = 1U << 16;

uint32_t kind_of(Origin origin, Reason reason, bool is_shadow = false) {
  return 1 + (static_cast<uint32_t>(reason) << 3 | static_cast<uint32_t>(origin) << 1 | (is_shadow ? 1 : 0));
}

Verdict verdict_of(const BucketAnswer& bucket) {
  if (bucket.allowed) return Verdict::kAllowed;
  return bucket.retry_after == kForever ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
}

// The bucket that named a rejection; nullptr where no bucket did.
const BucketAnswer* rejecting_bucket(const Answer& answer) {
  return answer.tightest != nullptr && !answer.tightest->allowed ? answer.tightest : nullptr;
}

// Lengths stand before them, so that no two lists are one text.
void append(std::string& text, std::string_view part) {
  const size_t size = part.size();
  text.append(reinterpret_cast<const char*>(&size), sizeof(size));
  text += part;
}

}  // namespace

void Rejections::note(limiter::Check& check, Duration since_epoch) {
  const Answer& answer = check.answer();
  at_us_ = since_epoch.ns / 1'000;
  audit::Ledger::Pen pen(*ledger_);
  if (!answer.allowed) {
    const BucketAnswer* const bucket = rejecting_bucket(answer);
    if (bucket != nullptr) {
      note_bucket(pen, check, *bucket, false);
    } else {
      note_denial(pen, check, {answer.policy, answer.rule, answer.detail, answer.reason, answer.row_id});
    }
  }
  for (const rules::Application& by : answer.denied_in_shadow) {
    note_denial(pen, check, {by.policy->id, by.rule->name, {}, Reason::kMissingKey, by.rule->row_id, true});
  }
  // The limits of one rule stand together, have one key, and are one rejection.
  const char* noted = nullptr;
  for (const BucketAnswer& bucket : answer.shadow) {
    if (bucket.allowed || bucket.key.data() == noted) continue;
    noted = bucket.key.data();
    note_bucket(pen, check, bucket, true);
  }
}

void Rejections::fetch(limiter::Check& check) {
  const Answer& answer = check.answer();
  const BucketAnswer* const bucket = answer.allowed ? nullptr : rejecting_bucket(answer);
  if (bucket == nullptr) return;
  const audit::Ledger::Pen pen(*ledger_);
  fetched_ = subject_of(pen, check, *bucket, false);
  pen.prefetch(*fetched_);
}

// Where several share a bucket, each is told of; in a flood, the bucket alone.
Fingerprint Rejections::subject_of(const audit::Ledger::Pen& pen, limiter::Check& check, const BucketAnswer& bucket,
                                   bool is_shadow) {
  const Origin origin = bucket.policy.empty() ? Origin::kNamed : Origin::kRule;
  const uint32_t kind = kind_of(origin, limiter::reason_of(verdict_of(bucket)), is_shadow);
  const bool is_by_caller = origin == Origin::kRule && pen.has_much_room();
  return is_by_caller ? pen.subject(bytes_by_caller(bucket, check), kind | kByCaller) : pen.subject(bucket.key, kind);
}

std::string_view Rejections::bytes_by_caller(const BucketAnswer& bucket, limiter::Check& check) {
  const rules::Origin who = check.origin();
  subject_.clear();
  for (const std::string_view part : {bucket.key, who.user_id, who.address}) append(subject_, part);
  return subject_;
}

void Rejections::note_bucket(audit::Ledger::Pen& pen, limiter::Check& check, const BucketAnswer& bucket,
                             bool is_shadow) {
  const auto fetched = is_shadow ? std::nullopt : std::exchange(fetched_, std::nullopt);
  const Fingerprint subject = fetched ? *fetched : subject_of(pen, check, bucket, is_shadow);
  pen.note(subject, at_us_, [&] {
    const rules::Origin who = check.origin();
    return Rejection{bucket.key,
                     who.user_id,
                     who.address,
                     who.path,
                     bucket.policy,
                     bucket.rule,
                     limiter::reason_text(verdict_of(bucket), *bucket.limit),
                     bucket.remaining.as_double(),
                     bucket.cost.as_double(),
                     is_shadow,
                     bucket.row_id};
  });
}

// Where no bucket was asked there is no key to count by: who asked stands for it.
void Rejections::note_denial(audit::Ledger::Pen& pen, limiter::Check& check, const Denial& denial) {
  const rules::Origin who = check.origin();
  subject_.clear();
  for (const std::string_view part : {denial.policy, denial.rule, denial.detail, who.user_id, who.address}) {
    append(subject_, part);
  }
  pen.note(pen.subject(subject_, kind_of(Origin::kNoBucket, denial.reason, denial.is_shadow)), at_us_, [&] {
    return Rejection{.bucket_key = {},
                     .user_id = who.user_id,
                     .ip_address = who.address,
                     .endpoint = who.path,
                     .policy = denial.policy,
                     .rule = denial.rule,
                     .reason = limiter::reason_text(denial.reason),
                     .is_shadow = denial.is_shadow,
                     .rule_id = denial.rule_id};
  });
}

void Rejections::note_each(std::span<const Take> takes, std::span<const stores::BucketResult> results,
                           Duration since_epoch) {
  // The memory of all is asked for before the first is needed.
  constexpr size_t kMost = stores::Store::kMaxTakes;
  std::array<Fingerprint, kMost> subjects;
  std::array<uint8_t, kMost> rejected;
  size_t count = 0;
  audit::Ledger::Pen pen(*ledger_);
  for (size_t i = 0; i < takes.size(); ++i) {
    const Verdict verdict = results[i].decision.verdict;
    if (verdict == Verdict::kAllowed) continue;
    subjects[count] = pen.subject(takes[i].key, kind_of(Origin::kNamed, limiter::reason_of(verdict)));
    pen.prefetch(subjects[count]);
    rejected[count++] = static_cast<uint8_t>(i);
  }
  const int64_t at_us = since_epoch.ns / 1'000;
  for (size_t i = 0; i < count; ++i) {
    const Take& take = takes[rejected[i]];
    const Decision& decision = results[rejected[i]].decision;
    pen.note(subjects[i], at_us, [&] {
      Rejection rejection{.bucket_key = take.key, .reason = limiter::reason_text(decision.verdict, *take.limit)};
      rejection.tokens = decision.remaining.as_double();
      rejection.cost = take.cost.as_double();
      return rejection;
    });
  }
}

}  // namespace sluice::doors
