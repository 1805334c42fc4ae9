// POST /v1/reserve and /v1/settle.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "doors/http/door_testing.h"

namespace sluice::doors::http {
namespace {

using nlohmann::json;

constexpr std::string_view kEstimate = R"({"key": "llm:7", "rate": 1, "burst": 100, "cost": 60})";
constexpr std::string_view kLook = R"({"key": "llm:7", "rate": 1, "burst": 100, "cost": 1})";

class ReserveRoutes : public ::testing::Test {
 protected:
  std::string reserve(std::string_view body = kEstimate) {
    return json::parse(body_of(door_.post("/v1/reserve", body))).value("handle", "");
  }
  std::string settle(const std::string& handle, const std::string& cost) {
    return door_.post("/v1/settle", R"({"handle": ")" + handle + R"(", "cost": )" + cost + "}");
  }
  json remaining() { return json::parse(body_of(door_.post("/v1/peek", kLook)))["remaining"]; }

  DoorUnderTest door_;
};

TEST_F(ReserveRoutes, TakeTheEstimateAndAnswerWithAHandle) {
  const std::string got = door_.post("/v1/reserve", kEstimate);
  EXPECT_EQ(status_of_text(got), 200);
  const json body = json::parse(body_of(got));
  EXPECT_EQ(body["remaining"], 40);
  EXPECT_EQ(body["expires_in_ms"], 60'000);
  EXPECT_EQ(body["handle"].get<std::string>().substr(0, 4), "rsv-");
  EXPECT_EQ(field_of(got, "RateLimit-Remaining"), "40");
}

TEST_F(ReserveRoutes, SettleForLessGivesBackAndForMoreTakes) {
  EXPECT_EQ(json::parse(body_of(settle(reserve(), "10"))), json::parse(R"({"settled": true, "lacked": 0})"));
  EXPECT_EQ(remaining(), 90);
  EXPECT_EQ(json::parse(body_of(settle(reserve(), "95"))), json::parse(R"({"settled": true, "lacked": 5})"));
  EXPECT_EQ(remaining(), 0);
}

TEST_F(ReserveRoutes, SettleOnlyOnce) {
  const std::string handle = reserve();
  EXPECT_EQ(status_of_text(settle(handle, "0")), 200);
  EXPECT_EQ(remaining(), 100);
  EXPECT_EQ(status_of_text(settle(handle, "0")), 404);
}

TEST_F(ReserveRoutes, RejectAsACheckDoesAndKeepNothing) {
  reserve();
  const std::string got = door_.post("/v1/reserve", kEstimate);
  EXPECT_EQ(status_of_text(got), 429);
  EXPECT_FALSE(json::parse(body_of(got)).contains("handle"));
}

TEST_F(ReserveRoutes, SayWhatIsWrong) {
  const auto detail = [&](std::string_view path, std::string_view body) {
    const std::string got = door_.post(path, body);
    EXPECT_EQ(status_of_text(got), 400) << got;
    return json::parse(body_of(got)).value("detail", "");
  };
  EXPECT_EQ(detail("/v1/reserve", R"({"key": "k", "rate": 1, "burst": 1, "ttl_ms": 0})"),
            "ttl_ms must be from 1 to 3600000, but is 0");
  EXPECT_EQ(detail("/v1/settle", R"({"cost": 1})"), "handle is missing: /v1/reserve answers with it");
  EXPECT_EQ(detail("/v1/settle", R"({"handle": "x"})"), "cost is missing: it is what the work really cost");
  EXPECT_EQ(detail("/v1/settle", R"({"handle": "x", "cost": -1})"), "cost must be a number from 0 to 1e12");
  EXPECT_NE(detail("/v1/settle", R"({"handle": 7, "cost": 1})").find("'handle' is none of these"), std::string::npos);
  EXPECT_NE(detail("/v1/check", R"({"key": "k", "rate": 1, "burst": 1, "ttl_ms": 5})").find("no field 'ttl_ms'"),
            std::string::npos);
}

}  // namespace
}  // namespace sluice::doors::http
