// For tests: rules in a line each, and a limiter with a worker on a store of its own.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "limiter/worker.h"
#include "rules/model.h"
#include "stores/memory/memory_store.h"

namespace sluice::limiter {

inline rules::Rule rule(std::string name, std::vector<const char*> keys, const Limit& limit) {
  rules::Rule rule;
  rule.name = std::move(name);
  for (const char* key : keys) rule.limit_keys.push_back(*rules::KeySource::parse(key));
  rule.limits = {limit};
  return rule;
}

inline rules::Condition equals(const char* source, std::string value) {
  return {*rules::KeySource::parse(source), {std::move(value)}, {}, {}};
}

inline std::shared_ptr<rules::RuleSet> rule_set(std::vector<rules::Rule> rules) {
  auto set = std::make_shared<rules::RuleSet>();
  set->policies.push_back({"p", {}, std::move(rules), {}});
  return set;
}

inline Limit per_second(double rate, double burst) { return *Limit::token_bucket(rate, burst); }

// A request of a user: attribute user_id.
class UserRequest {
 public:
  explicit UserRequest(std::string user) : user_(std::move(user)), attributes_{{"user_id", user_}} {
    request_.method = "GET";
    request_.path = "/";
    request_.attributes = attributes_;
  }
  UserRequest(const UserRequest&) = delete;
  rules::Request& operator*() { return request_; }

 private:
  std::string user_;
  std::vector<rules::Field> attributes_;
  rules::Request request_;
};

// Decides on a clock that stands still until it is moved.
class LimiterUnderTest {
 public:
  LimiterUnderTest() : LimiterUnderTest(nullptr) {}
  explicit LimiterUnderTest(stores::Store* store)
      : limiter({store != nullptr ? *store : *memory, *local, {}}), worker(limiter) {}

  const Answer& take(const std::string& user) { return decide(user, stores::Action::kTake); }
  const Answer& decide(const std::string& user, stores::Action action) {
    UserRequest request(user);
    worker.decide(check, *request, now, action);
    return check.answer();
  }

  std::unique_ptr<memory::MemoryStore> memory = std::move(*memory::MemoryStore::create({}));
  std::unique_ptr<memory::MemoryStore> local = std::move(*memory::MemoryStore::create({}));
  Limiter limiter;
  Worker worker;
  PlainCheck check;
  rules::Now now{Instant(1'000'000'000), 1'700'000'000'000'000};
};

}  // namespace sluice::limiter
