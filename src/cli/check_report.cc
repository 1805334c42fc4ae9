#include "cli/check_report.h"

#include <string>

#include "cli/quantities.h"
#include "cli/table.h"
#include "doors/headers.h"

namespace sluice::cli {
namespace {

using limiter::Answer;
using limiter::BucketAnswer;

std::string limit_text(const Limit& limit) {
  const std::string capacity = exact_tokens(limit.capacity());
  if (is_bucket(limit.algorithm())) return short_rate(limit.rate()) + ", " + capacity + " at once";
  return capacity + " in " + short_duration(limit.window(), Rounding::kUp);
}

std::string verdict_text(const Answer& answer) {
  if (answer.allowed && answer.buckets.empty() && answer.shadow.empty()) return "allowed: no rule applies";
  if (answer.allowed) return "allowed";
  std::string text = "rejected: " + std::string(reason_text(answer));
  if (!answer.rule.empty()) text += ", rule '" + std::string(answer.rule) + "'";
  if (!answer.policy.empty()) text += " of policy '" + std::string(answer.policy) + "'";
  if (!answer.detail.empty()) text += ": " + std::string(answer.detail);
  if (answer.retry_after == kForever) return text + "; waiting does not help";
  return text + "; passes in " + short_duration(answer.retry_after, Rounding::kUp);
}

// Tokens were taken only from a bucket of a request that passed, or from a shadow bucket that had them.
std::vector<std::string> row_of(const BucketAnswer& bucket, bool is_taken) {
  const Tokens before = is_taken && bucket.allowed ? bucket.remaining + bucket.cost : bucket.remaining;
  return {std::string(bucket.policy) + "/" + std::string(bucket.rule), limit_text(*bucket.limit), exact_tokens(before),
          exact_tokens(bucket.remaining), short_duration(bucket.reset_after, Rounding::kUp)};
}

void print_buckets(const char* title, std::span<const BucketAnswer> buckets, const CheckResult& result,
                   const Style& style, Output& out) {
  if (buckets.empty()) return;
  Table table{{title, "limit", "tokens\nbefore", "tokens\nafter", "full\nagain in"}, {}};
  for (const BucketAnswer& bucket : buckets) table.rows.push_back(row_of(bucket, result.answer.allowed));
  out.print("\n{}", render_table(table, style));
}

void print_rules(const rules::Report& report, const Style& style, Output& out) {
  out.print("\nclient: {}\n", report.client);
  if (!report.token.empty()) out.print("token: {}\n", report.token);
  if (!report.killed_for.empty()) out.print("kill switch: {}\n", report.killed_for);
  const rules::Policy* policy = nullptr;
  for (const rules::RuleReport& rule : report.rules) {
    if (rule.policy != policy) out.print("\npolicy {}\n", painted(style, Ink::kBold, rule.policy->id));
    policy = rule.policy;
    const Ink ink = rule.applies ? Ink::kAllowed : Ink::kDim;
    const char* mode = rule.rule->mode == rules::Mode::kShadow ? " (shadow)" : "";
    out.print("  {} {}{}: {}\n", painted(style, ink, rule.applies ? "applies" : "     no"), rule.rule->name, mode,
              rule.why);
    if (rule.applies) out.print("          bucket {}, cost {}\n", rule.key, exact_tokens(rule.cost));
  }
  if (!report.not_active.empty()) out.write("\n");
  for (const std::string& what : report.not_active) out.print("{}: not active\n", what);
}

}  // namespace

void print_answer(const CheckResult& result, const Style& style, Output& out) {
  const Ink ink = result.answer.allowed ? Ink::kAllowed : Ink::kRejected;
  out.print("{}\n", painted(style, ink, verdict_text(result.answer)));
  if (result.answer.delay > Duration()) {
    out.print("to be held for {}\n", short_duration(result.answer.delay, Rounding::kUp));
  }
  if (result.report != nullptr) print_rules(*result.report, style, out);
  print_buckets("bucket", result.answer.buckets, result, style, out);
  print_buckets("shadow bucket", result.answer.shadow, result, style, out);
  doors::HeaderFields headers;
  headers.render(result.answer, {result.rules.headers, result.since_epoch});
  if (!headers.fields().empty()) out.write("\n");
  for (const doors::HeaderField& field : headers.fields()) out.print("{}: {}\n", field.name, field.value);
}

}  // namespace sluice::cli
