// What requests take of memory in the long run: nothing, however they are asked.
#include <gtest/gtest.h>

#include "allocations/count.h"
#include "doors/http/door_testing.h"

namespace sluice::doors::http {
namespace {

// Of the fourth request, which is rejected, and of one that is allowed.
void expect_no_allocation(const std::string& request) {
  DoorUnderTest door;
  net::Output output;
  const auto send = [&] {
    ASSERT_EQ(door.session->on_bytes(request, output).bytes, request.size());
    ASSERT_FALSE(output.empty());
    output.clear();
  };
  for (int i = 0; i < 4; ++i) send();
  const uint64_t before = sluice::testing::allocations();
  send();
  door.time.now = door.time.now + Duration::millis(150);
  send();
  EXPECT_EQ(sluice::testing::allocations(), before) << request;
}

std::string post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

TEST(HttpMemory, ADecisionAllocatesNothing) {
  expect_no_allocation(
      "GET /v1/decision HTTP/1.1\r\nHost: api.example.com\r\nX-Api-Key: 0123456789abcdef0123456789\r\n"
      "X-Original-URI: /v1/orders/of/a/customer?page=2&order=by%20date%20and%20by%20name\r\nX-Original-Method: "
      "GET\r\n\r\n");
}

TEST(HttpMemory, ACheckAllocatesNothing) {
  expect_no_allocation(
      post("/v1/check", R"({"key": "a key that is longer than a short string", "rate": 10, "burst": 2})"));
  expect_no_allocation(post("/v1/check", R"({"request": {"path": "/v1/x?a=bbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    "headers": {"X-Api-Key": "0123456789abcdef0123456789"}}})"));
}

TEST(HttpMemory, ABodyInChunksAllocatesNothing) {
  expect_no_allocation(
      "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "10\r\n{\"key\": \"a key t\r\n2b\r\nhat is long enough\", \"rate\": 1, \"burst\": 2}\r\n0\r\n\r\n");
}

TEST(HttpMemory, TheCountSeesAnAllocation) {
  DoorUnderTest door;
  const uint64_t before = sluice::testing::allocations();
  EXPECT_NE(door.door.make(door.peer), nullptr);
  EXPECT_EQ(sluice::testing::allocations(), before + 1);
}

}  // namespace
}  // namespace sluice::doors::http
