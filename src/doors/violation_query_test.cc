#include "doors/violation_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/cut_text.h"
#include "doors/violation_json.h"

namespace sluice::doors {
namespace {

using testing::HasSubstr;

constexpr int64_t kNow = 1'896'091'200'000'000;  // 2030-01-31T12:00:00Z

ViolationQuery read(std::string_view query) {
  const auto parsed = read_violation_query(parse_query(query), kNow);
  if (const auto* fault = std::get_if<std::string>(&parsed)) ADD_FAILURE() << *fault;
  return std::get<ViolationQuery>(parsed);
}

std::string refused(std::string_view query) {
  const auto parsed = read_violation_query(parse_query(query), kNow);
  return std::holds_alternative<std::string>(parsed) ? std::get<std::string>(parsed) : "accepted";
}

TEST(ViolationQuery, ReadsEveryFilter) {
  const ViolationQuery query = read(
      "user_id=42&ip=2001:db8::1&key=a%20b&endpoint=/v1/x&rule_id=7&shadow=true&since=1h&until=2030-01-31T11:59:00Z"
      "&limit=5&after=1763269000000000-17");
  EXPECT_EQ(query.filter.user_id, "42");
  EXPECT_EQ(query.filter.ip_address, "2001:db8::1");
  EXPECT_EQ(query.filter.bucket_key, "a b");
  EXPECT_EQ(query.filter.endpoint, "/v1/x");
  EXPECT_EQ(query.filter.rule_id, 7);
  EXPECT_EQ(query.filter.is_shadow, true);
  EXPECT_EQ(query.filter.since_us, kNow - 3'600'000'000);
  EXPECT_EQ(query.filter.until_us, kNow - 60'000'000);
  EXPECT_EQ(query.limit, 5u);
  EXPECT_EQ(query.after->requested_at_us, 1'763'269'000'000'000);
  EXPECT_EQ(query.after->id, 17);
}

TEST(ViolationQuery, ALongTextIsWhatItsRowsHave) {
  const std::string key(5'000, 'k');
  const ViolationQuery query = read("user_id=" + key + "&key=" + key + "&endpoint=" + key);
  const std::string kept = audit::CutText(key).text();
  EXPECT_EQ(kept.size(), audit::kLongestText);
  EXPECT_THAT(kept, HasSubstr("...(5000 bytes, "));
  for (const auto& text : {query.filter.user_id, query.filter.bucket_key, query.filter.endpoint}) EXPECT_EQ(text, kept);
}

TEST(ViolationQuery, AnAddressIsTheSameHoweverItIsSpelt) {
  EXPECT_EQ(read("ip=2001:0DB8:0000::0001").filter.ip_address, "2001:db8::1");
  EXPECT_EQ(read("ip=::ffff:198.51.100.1").filter.ip_address, "198.51.100.1");
  EXPECT_THAT(refused("ip=foo"), HasSubstr("ip must be an address, but is 'foo'"));
}

TEST(ViolationQuery, WithoutParametersIsAllOfThemByTheHundred) {
  const ViolationQuery query = read("");
  EXPECT_FALSE(query.filter.user_id || query.filter.since_us || query.after);
  EXPECT_EQ(query.limit, 100u);
}

TEST(ViolationQuery, TellsWhatIsWrong) {
  EXPECT_THAT(refused("since=yesterday"), HasSubstr("since must be a time such as 2026-01-31T12:00:00Z, or how long"));
  EXPECT_EQ(refused("limit=0"), "limit must be a number from 1 to 1000, but is '0'");
  EXPECT_EQ(refused("limit=1001"), "limit must be a number from 1 to 1000, but is '1001'");
  EXPECT_EQ(refused("after=17"), "after must be what `next` of the page before says, but is '17'");
  EXPECT_EQ(refused("shadow=yes"), "shadow must be true or false, but is 'yes'");
  EXPECT_EQ(refused("rule_id=x"), "rule_id must be a whole number, but is 'x'");
  EXPECT_THAT(refused("usr=42"), HasSubstr("there is no parameter 'usr'"));
}

TEST(ViolationJson, GivesAPageAndWhereTheNextBegins) {
  audit::Violation violation;
  violation.id = 3;
  violation.bucket_key = "k";
  violation.user_id = "42";
  violation.requested_at_us = violation.last_at_us = kNow;
  violation.tokens_at_time = 0.25;
  violation.cost = 1;
  violation.reason = "token_bucket_exceeded";
  std::string full;
  write_violations({&violation, 1}, 1, full);
  EXPECT_EQ(full,
            R"({"violations":[{"violation_id":3,"bucket_key":"k","user_id":"42","ip_address":null,"endpoint":null,)"
            R"("requested_at":"2030-01-31T12:00:00.000000Z","last_at":"2030-01-31T12:00:00.000000Z","count":1,)"
            R"("tokens_at_time":0.25,"cost":1,"rule_id":null,"policy":null,"rule":null,)"
            R"("reason":"token_bucket_exceeded","is_shadow":false}],"next":"1896091200000000-3"})");
  std::string last;
  write_violations({&violation, 1}, 2, last);
  EXPECT_THAT(last, HasSubstr(R"("next":null)"));
  EXPECT_EQ(read("after=" + cursor_text({kNow, 3})).after->id, 3);
}

}  // namespace
}  // namespace sluice::doors
