// Header fields of random answers, read back by a parser that knows nothing of how they were written.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "doors/answers_testing.h"
#include "doors/headers.h"
#include "doors/quota.h"
#include "structured_fields/parser.h"

namespace sluice::doors {
namespace {

using structured_fields::Item;

rules::HeaderSets any_sets() {
  const auto any = rc::gen::arbitrary<bool>();
  return {.ietf = *any, .legacy = *any, .x = *any};
}

std::optional<std::string_view> value_of(const HeaderFields& headers, std::string_view name) {
  for (const HeaderField& field : headers.fields()) {
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

int64_t integer_of(const HeaderFields& headers, std::string_view name) {
  const auto item = structured_fields::parse_item(value_of(headers, name).value());
  RC_ASSERT(item.has_value());
  RC_ASSERT(item->parameters.empty());
  return std::get<int64_t>(item->value);
}

void expect_policies(const std::vector<Item>& policies) {
  std::set<std::string> names;
  RC_ASSERT(!policies.empty());
  for (const Item& policy : policies) {
    const auto* name = std::get_if<std::string>(&policy.value);
    RC_ASSERT(name != nullptr);
    RC_ASSERT(!name->empty());
    RC_ASSERT(names.insert(*name).second);
    RC_ASSERT(policy.parameters.size() == 2u);
    RC_ASSERT(*policy.parameter<int64_t>("q") >= 1);
    RC_ASSERT(*policy.parameter<int64_t>("w") >= 1);
  }
}

RC_GTEST_PROP(HeaderProperties, WhateverIsInAnAnswerNoFieldHasMoreThanPrintableAscii, ()) {
  HeaderFields headers;
  auto made = any_answer();
  headers.render(made.answer(), {any_sets(), Duration(*rc::gen::arbitrary<int64_t>())});
  for (const HeaderField& field : headers.fields()) {
    RC_ASSERT(!field.value.empty());
    RC_ASSERT(std::all_of(field.value.begin(), field.value.end(), [](char c) { return c >= 0x20 && c <= 0x7e; }));
  }
}

RC_GTEST_PROP(HeaderProperties, TheIetfSetParsesAndSpeaksOfAPolicyThatItLists, ()) {
  HeaderFields headers;
  auto made = any_answer();
  const limiter::Answer& answer = made.answer();
  RC_PRE(!answer.buckets.empty());
  headers.render(answer, {{.ietf = true, .legacy = false, .x = false}, Duration()});
  const auto policies = structured_fields::parse_list(value_of(headers, "RateLimit-Policy").value());
  RC_ASSERT(policies.has_value());
  expect_policies(*policies);
  const auto limits = structured_fields::parse_list(value_of(headers, "RateLimit").value());
  RC_ASSERT(limits.has_value());
  RC_ASSERT(limits->size() == 1u);
  const Item& limit = limits->front();
  const auto policy =
      std::find_if(policies->begin(), policies->end(), [&](const Item& one) { return one.value == limit.value; });
  RC_ASSERT(policy != policies->end());
  RC_ASSERT(*limit.parameter<int64_t>("r") >= 0);
  RC_ASSERT(*limit.parameter<int64_t>("r") <= *policy->parameter<int64_t>("q"));
  RC_ASSERT(*limit.parameter<int64_t>("r") == answer.tightest->remaining.floor());
  if (const int64_t* seconds = limit.parameter<int64_t>("t")) {
    RC_ASSERT(*seconds >= 0);
    if (value_of(headers, "Retry-After")) RC_ASSERT(integer_of(headers, "Retry-After") >= *seconds);
  }
}

RC_GTEST_PROP(HeaderProperties, LegacyAndXAgreeAndTheirResetIsNeverEarly, ()) {
  HeaderFields headers;
  auto made = any_answer();
  const limiter::Answer& answer = made.answer();
  RC_PRE(!answer.buckets.empty());
  const Duration since_epoch(*properties::between(0, 2'000'000'000'000'000'000));
  headers.render(answer, {{.ietf = false, .legacy = true, .x = true}, since_epoch});
  RC_ASSERT(integer_of(headers, "RateLimit-Limit") == integer_of(headers, "X-RateLimit-Limit"));
  RC_ASSERT(integer_of(headers, "RateLimit-Remaining") == integer_of(headers, "X-RateLimit-Remaining"));
  __extension__ using Wide = __int128;
  const Wide reset = answer.tightest->reset_after.ns;
  const Wide second = 1'000'000'000;
  RC_ASSERT(integer_of(headers, "RateLimit-Reset") * second >= reset);
  RC_ASSERT((integer_of(headers, "RateLimit-Reset") - 1) * second < reset);
  const Wide full_at = std::min<Wide>(since_epoch.ns + reset, INT64_MAX);
  RC_ASSERT(integer_of(headers, "X-RateLimit-Reset") * second >= full_at);
  RC_ASSERT((integer_of(headers, "X-RateLimit-Reset") - 1) * second < full_at);
}

RC_GTEST_PROP(HeaderProperties, RetryAfterIsThereExactlyWhenARejectedCallerCanWait, ()) {
  HeaderFields headers;
  auto made = any_answer();
  const limiter::Answer& answer = made.answer();
  headers.render(answer, {any_sets(), Duration()});
  const bool can_wait = !answer.allowed && answer.retry_after < kForever;
  RC_ASSERT(value_of(headers, "Retry-After").has_value() == can_wait);
  if (can_wait) RC_ASSERT(integer_of(headers, "Retry-After") >= answer.retry_after.ceil_seconds());
  RC_ASSERT(value_of(headers, "X-Sluice-Reason").has_value() == !answer.allowed);
  RC_ASSERT(value_of(headers, "X-Sluice-Delay-Ms").has_value() == (answer.allowed && answer.delay > Duration()));
}

}  // namespace
}  // namespace sluice::doors
