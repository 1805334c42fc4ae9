#include "rule_scenario/resp_rule_home.h"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "resp_client/client.h"
#include "rules/jwt/verified_claims.h"
#include "rules/language/load.h"
#include "stores/memory/memory_store.h"

namespace sluice::scenario {
namespace {

using nlohmann::json;

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void add_map(std::vector<std::string>& arguments, const char* word, const json& map) {
  for (const auto& [name, value] : map.items()) {
    for (const json& one : value.is_array() ? value : json::array({value})) {
      arguments.insert(arguments.end(), {word, name, text_of(one)});
    }
  }
}

void add_words(std::vector<std::string>& arguments, const json& request) {
  for (const auto& [name, value] : request.items()) {
    if (name == "headers") {
      add_map(arguments, "header", value);
    } else if (name == "query") {
      add_map(arguments, "QUERY", value);
    } else if (name == "attributes") {
      add_map(arguments, "ATTR", value);
    } else {
      arguments.insert(arguments.end(), {name, text_of(value)});
    }
  }
}

// RESP2 has neither maps nor booleans nor fractions: a reader of it knows which field is what.
json object_of(const json& flat) {
  json object = json::object();
  for (size_t i = 0; i + 1 < flat.size(); i += 2) {
    const auto name = flat[i].get<std::string>();
    json value = flat[i + 1];
    if (name == "buckets" || name == "shadow") {
      for (json& bucket : value) bucket = object_of(bucket);
    } else if (name == "allowed" || name == "degraded") {
      value = value == 1;
    } else if ((name == "remaining" || name == "limit" || name == "cost") && value.is_string()) {
      value = std::stod(value.get<std::string>());
    }
    object[name] = value;
  }
  return object;
}

class RespRuleHome final : public RuleHome {
 public:
  explicit RespRuleHome(RespForm form)
      : form_(form),
        store_(std::move(*memory::MemoryStore::create({}))),
        limiter_({*store_, *store_, rules::jwt::make_verified_claims}),
        client_(limiter_) {
    client_.time().epoch = Duration::seconds(1'800'000'000);
    if (form == RespForm::kJson) client_.ask({"HELLO", "3"});
  }

  std::string load(const std::string& rules_json) override {
    const rules::Loaded loaded = rules::load_text(rules_json, "rules.json", rules::Format::kJson);
    std::string faults;
    for (const rules::Fault& fault : loaded.faults) faults += describe(fault) + "\n";
    if (loaded.rules != nullptr) limiter_.set_rules(loaded.rules);
    return faults;
  }

  std::string decide(const std::string& request_json, Instant now, RuleOperation operation) override {
    client_.time().now = now;
    std::vector<std::string> arguments{command_of(operation)};
    // An empty JSON request has no words.
    const json request = json::parse(request_json);
    if (form_ == RespForm::kJson || request.empty()) {
      arguments.push_back(request_json);
    } else {
      add_words(arguments, request);
    }
    const json reply = client_.ask(arguments);
    if (reply.is_string()) return "{}";
    return (reply.is_array() ? object_of(reply) : reply).dump();
  }

 private:
  static const char* command_of(RuleOperation operation) {
    switch (operation) {
      case RuleOperation::kTake: return "SLUICE.CHECK";
      case RuleOperation::kPeek: return "SLUICE.PEEK";
      case RuleOperation::kRefund: return "SLUICE.REFUND";
      case RuleOperation::kReload: break;
    }
    std::abort();
  }

  const RespForm form_;
  std::unique_ptr<memory::MemoryStore> store_;
  limiter::Limiter limiter_;
  resp_client::Client client_;
};

}  // namespace

std::unique_ptr<RuleHome> make_resp_rule_home(RespForm form) { return std::make_unique<RespRuleHome>(form); }

}  // namespace sluice::scenario
