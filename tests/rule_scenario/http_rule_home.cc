#include "rule_scenario/http_rule_home.h"

#include <cstdlib>

#include "doors/http/door_testing.h"

namespace sluice::scenario {
namespace {

class HttpRuleHome final : public RuleHome {
 public:
  std::string load(const std::string& rules_json) override { return door_.load(rules_json); }

  std::string decide(const std::string& request_json, Instant now, RuleOperation operation) override {
    door_.time.now = now;
    return doors::http::body_of(door_.post(path_of(operation), R"({"request": )" + request_json + "}"));
  }

 private:
  static std::string_view path_of(RuleOperation operation) {
    switch (operation) {
      case RuleOperation::kTake: return "/v1/check";
      case RuleOperation::kPeek: return "/v1/peek";
      case RuleOperation::kRefund: return "/v1/refund";
      case RuleOperation::kReload: break;
    }
    std::abort();
  }

  doors::http::DoorUnderTest door_{{}, "{}"};
};

}  // namespace

std::unique_ptr<RuleHome> make_http_rule_home() { return std::make_unique<HttpRuleHome>(); }

}  // namespace sluice::scenario
