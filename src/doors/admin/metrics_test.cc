#include "doors/admin/metrics.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>

#include "doors/admin/admin_testing.h"

namespace sluice::doors::admin {
namespace {

using testing::HasSubstr;
using testing::Not;

std::set<std::string> families_of(const std::string& text) {
  std::set<std::string> names;
  for (size_t at = 0; (at = text.find("# TYPE ", at)) != text.npos;) {
    at += 7;
    names.insert(text.substr(at, text.find(' ', at) - at));
  }
  return names;
}

// The rows of its tables: | `name` | ...
std::set<std::string> families_of_page() {
  std::ifstream file(SLUICE_METRICS_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> names;
  for (size_t at = 0; (at = page.find("\n| `", at)) != page.npos;) {
    at += 4;
    names.insert(page.substr(at, page.find('`', at) - at));
  }
  return names;
}

TEST(Metrics, AreThoseOfThePage) {
  AdminUnderTest test;
  test.sources.store = [] {
    StoreFigures figures;
    figures.fleet = FleetFigures();
    return figures;
  };
  EXPECT_EQ(families_of(write_metrics(test.sources)), families_of_page());
}

TEST(Metrics, CountDecisionsByRuleAndOutcome) {
  AdminUnderTest test;
  test.take("abc", 5);
  const std::string text = write_metrics(test.sources);
  constexpr std::string_view kRule = "\nsluice_decisions_total{policy=\"api\",rule=\"key\",mode=\"enforce\",outcome=";
  EXPECT_THAT(text, HasSubstr(std::string(kRule) + "\"allowed\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(std::string(kRule) + "\"rejected\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("\nsluice_named_decisions_total{outcome=\"allowed\"} 0\n"));
}

TEST(Metrics, KeepWhatARuleDidInTheShadowApart) {
  AdminUnderTest test;
  const auto rules = [](std::string_view mode) {
    return R"({"policies": [{"id": "p", "mode": ")" + std::string(mode) +
           R"(", "rules": [{"name": "r", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}]})";
  };
  ASSERT_EQ(test.served.load(rules("shadow")), "");
  test.take("x", 3);
  ASSERT_EQ(test.served.load(rules("enforce")), "");
  test.take("x", 1);
  const std::string text = write_metrics(test.sources);
  EXPECT_THAT(text, HasSubstr("{policy=\"p\",rule=\"r\",mode=\"shadow\",outcome=\"rejected\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("{policy=\"p\",rule=\"r\",mode=\"enforce\",outcome=\"rejected\"} 1\n"));
}

TEST(Metrics, HaveNoLabelThatAClientSent) {
  AdminUnderTest test;
  test.take("a-client-sent-this", 3);
  test.served.post("/v1/check", R"({"key": "and-this", "rate": 10, "burst": 50})");
  EXPECT_THAT(write_metrics(test.sources), Not(HasSubstr("a-client-sent-this")));
  EXPECT_THAT(write_metrics(test.sources), Not(HasSubstr("and-this")));
}

TEST(Metrics, MeasureEveryRequestOfADoor) {
  AdminUnderTest test;
  test.take("abc", 4);
  test.served.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string text = write_metrics(test.sources);
  EXPECT_THAT(text, HasSubstr("\nsluice_handling_seconds_count{door=\"http\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("\nsluice_handling_seconds_count{door=\"resp\"} 0\n"));
}

TEST(Metrics, TellOfStoreRulesAndConnections) {
  AdminUnderTest test;
  test.store = {.keys = 11, .bytes = 22, .reclaimed = 33, .shared = 44, .evicted = 55};
  test.rules = {
      .has_file = true, .are_current = false, .loaded = 3, .refused = 2, .loaded_at_unix_ms = 1'800'000'000'250};
  test.traffic.open = 6;
  test.traffic.accepted = 10;
  test.traffic.refused = 1;
  test.traffic.timed_out = 2;
  test.traffic.failed = 4;
  const std::string text = write_metrics(test.sources);
  for (const char* line :
       {"sluice_store_keys 11", "sluice_store_bytes 22", "sluice_store_reclaimed_total 33",
        "sluice_store_shared_decisions_total 44", "sluice_store_evicted_total 55",
        "sluice_rules_reloads_total{result=\"loaded\"} 3", "sluice_rules_reloads_total{result=\"refused\"} 2",
        "sluice_rules_loaded_timestamp_seconds 1800000000.25", "sluice_rules_current 0",
        "sluice_connections_open{door=\"http\"} 6", "sluice_connections_total{door=\"http\",outcome=\"accepted\"} 10",
        "sluice_connections_total{door=\"http\",outcome=\"refused\"} 1",
        "sluice_connections_total{door=\"http\",outcome=\"timed_out\"} 2",
        "sluice_connections_total{door=\"http\",outcome=\"failed\"} 4"}) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
  }
}

}  // namespace
}  // namespace sluice::doors::admin
