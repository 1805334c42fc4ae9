#include "cli/demo.h"

#include <fmt/format.h>

namespace sluice::cli {

std::string_view demo_rules() {
  return R"({
  "description": "Rules to try things on: small enough to be felt by hand.",
  "policies": [
    {
      "id": "demo",
      "rules": [
        {
          "name": "per-user",
          "limit_keys": ["attr:user_id"],
          "on_missing_key": "skip",
          "algorithm_config": {"rps": 0.2, "burst": 5}
        },
        {
          "name": "per-key",
          "limit_keys": ["header:x-api-key"],
          "on_missing_key": "skip",
          "algorithm_config": {"rps": 0.5, "burst": 3}
        },
        {
          "name": "everybody",
          "limit_keys": [],
          "algorithm_config": {"rps": 100, "burst": 1000}
        }
      ]
    }
  ]
}
)";
}

std::string demo_guide(const DemoDoors& doors) {
  std::string text = "\nSluice is serving rules to try things on. In another terminal:\n";
  const auto add = [&](std::string_view what, const std::string& line) {
    text += fmt::format("\n  {}\n    {}\n", what, line);
  };
  if (!doors.http.empty()) {
    add("A user has 5 requests at once, then one every 5 seconds; the sixth is refused:",
        "for i in 1 2 3 4 5 6; do curl -si " + doors.http +
            "/v1/check -d '{\"request\": {\"attributes\": {\"user_id\": \"42\"}}}' | head -n 1; done");
    add("What a proxy asks about a request, and what its caller is told:",
        "curl -i " + doors.http + "/v1/decision -H 'X-Api-Key: abc' -H 'X-Original-URI: /orders?page=2'");
    add("A bucket that needs no rule:",
        "curl -i " + doors.http + "/v1/check -d '{\"key\": \"job:7\", \"rate\": 10, \"burst\": 50, \"cost\": 1}'");
  }
  if (!doors.resp.host.empty()) {
    add("The same from any Redis client: 5 at once, 60 a minute:",
        fmt::format("redis-cli -h {} -p {} CL.THROTTLE user:42 4 60 60", doors.resp.host, doors.resp.port));
  }
  if (!doors.admin.empty()) {
    add("Metrics, and why a request is decided as it is:", "curl " + doors.admin + "/metrics");
    text += "    curl " + doors.admin + "/admin/v1/explain -d '{\"attributes\": {\"user_id\": \"42\"}}'\n";
  }
  return text + "\nCtrl-C stops it.\n";
}

}  // namespace sluice::cli
