#include <cstdlib>

#include "documents/json_reader.h"
#include "doors/decision_json.h"
#include "doors/request_json.h"
#include "limiter/worker.h"
#include "rule_scenario/http_rule_home.h"
#include "rule_scenario/resp_rule_home.h"
#include "rule_scenario/rule_home.h"
#include "rules/jwt/verified_claims.h"
#include "rules/language/load.h"
#include "stores/memory/memory_store.h"

namespace sluice::scenario {
namespace {

// Some day in 2027: what scenarios say of the calendar is relative to it.
constexpr int64_t kUnixStart = 1'800'000'000;

// The engine in this process.
class LimiterHome final : public RuleHome {
 public:
  LimiterHome()
      : store_(std::move(*memory::MemoryStore::create({}))),
        limiter_({*store_, *store_, rules::jwt::make_verified_claims}),
        worker_(limiter_) {}

  std::string load(const std::string& rules_json) override {
    const rules::Loaded loaded = rules::load_text(rules_json, "rules.json", rules::Format::kJson);
    std::string faults;
    for (const rules::Fault& fault : loaded.faults) faults += describe(fault) + "\n";
    if (loaded.rules != nullptr) limiter_.set_rules(loaded.rules);
    return faults;
  }

  std::string decide(const std::string& request_json, Instant now, RuleOperation operation) override {
    auto node = documents::read_json(request_json);
    const auto described = doors::describe_request(std::move(std::get<documents::Node>(node)));
    if (const auto* fault = std::get_if<doors::RequestFault>(&described))
      return "{\"fault\": \"" + fault->message + "\"}";
    const rules::Now both{now, kUnixStart * 1'000'000 + now.ns / 1'000};
    worker_.decide(check_, std::get<doors::DescribedRequest>(described).request(), both, action_of(operation));
    std::string body;
    doors::JsonWriter json(body);
    doors::write_decision(json, check_.answer());
    return body;
  }

 private:
  static stores::Action action_of(RuleOperation operation) {
    switch (operation) {
      case RuleOperation::kTake: return stores::Action::kTake;
      case RuleOperation::kPeek: return stores::Action::kPeek;
      case RuleOperation::kRefund: return stores::Action::kRefund;
      case RuleOperation::kReload: break;
    }
    std::abort();
  }

  std::unique_ptr<memory::MemoryStore> store_;
  limiter::Limiter limiter_;
  limiter::Worker worker_;
  limiter::PlainCheck check_;
};

constexpr RuleHomeEntry kHomes[] = {
    {"Limiter", [] { return std::unique_ptr<RuleHome>(new LimiterHome); }},
    {"RespJson", [] { return make_resp_rule_home(RespForm::kJson); }},
    {"RespWords", [] { return make_resp_rule_home(RespForm::kWords); }},
    {"Http", make_http_rule_home},
};

}  // namespace

std::span<const RuleHomeEntry> rule_homes() { return kHomes; }

}  // namespace sluice::scenario
