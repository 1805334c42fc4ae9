#include "rules/client_address.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rules/forwarded.h"
#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using testing::TestRequest;

TrustedProxies trusted(bool trusts_unix = false) {
  RuleSet rules;
  rules.trusted_proxies = {*Network::parse("10.0.0.0/8"), *Network::parse("fd00::/8")};
  rules.trusts_unix = trusts_unix;
  return TrustedProxies(rules);
}

std::string client(const TestRequest& request, ForwardedHeader header = ForwardedHeader::kXForwardedFor) {
  const Client found = find_client(request.view(), trusted(), header);
  return found.address ? found.address->text() : "none";
}

std::string from_list(std::string_view list) {
  TestRequest request;
  request.ip("10.0.0.1").header("X-Forwarded-For", list);
  return client(request);
}

std::string from_forwarded(std::string_view list) {
  TestRequest request;
  request.ip("10.0.0.1").header("Forwarded", list);
  return client(request, ForwardedHeader::kForwarded);
}

TEST(ClientAddress, OfWhoIsNotTrustedIsItsOwnWhateverItsHeadersSay) {
  TestRequest request;
  request.ip("192.0.2.1").header("X-Forwarded-For", "1.1.1.1").header("Forwarded", "for=1.1.1.1");
  EXPECT_EQ(client(request), "192.0.2.1");
  EXPECT_EQ(client(request, ForwardedHeader::kForwarded), "192.0.2.1");
}

TEST(ClientAddress, IsTheFirstUntrustedHopFromTheRight) {
  EXPECT_EQ(from_list("203.0.113.7"), "203.0.113.7");
  EXPECT_EQ(from_list("6.6.6.6, 203.0.113.7, 10.0.0.9"), "203.0.113.7");
  EXPECT_EQ(from_list("6.6.6.6,203.0.113.7:4711\t,  [fd00::1]:80"), "203.0.113.7");
  EXPECT_EQ(from_list("2001:db8::5"), "2001:db8::5");
}

TEST(ClientAddress, CountsAllLinesOfTheHeaderAsOneList) {
  TestRequest request;
  request.ip("fd00::2").header("x-forwarded-for", "6.6.6.6").header("Accept", "*/*");
  request.header("X-FORWARDED-FOR", "203.0.113.7").header("X-Forwarded-For", "10.0.0.3, 10.0.0.2");
  EXPECT_EQ(client(request), "203.0.113.7");
}

TEST(ClientAddress, StaysAtTheLastGoodHopBeforeOneThatCannotBeRead) {
  EXPECT_EQ(from_list("6.6.6.6, unknown, 10.0.0.5"), "10.0.0.5");
  EXPECT_EQ(from_list("6.6.6.6, <script>"), "10.0.0.1");
  EXPECT_EQ(from_forwarded("for=6.6.6.6, for=unknown, for=10.0.0.5"), "10.0.0.5");
  EXPECT_EQ(from_forwarded("for=6.6.6.6, for=_hidden"), "10.0.0.1");
  EXPECT_EQ(from_forwarded("for=6.6.6.6, proto=https"), "10.0.0.1");
  EXPECT_EQ(from_forwarded("for=6.6.6.6, for=7.7.7.7;for=8.8.8.8"), "10.0.0.1");
}

TEST(ClientAddress, OfTrustedHopsAloneIsTheLeftmost) {
  EXPECT_EQ(from_list("10.0.0.7, 10.0.0.8"), "10.0.0.7");
  EXPECT_EQ(from_list(""), "10.0.0.1");
  EXPECT_EQ(from_list(" , ,, "), "10.0.0.1");
  EXPECT_EQ(from_list("10.0.0.7, , 10.0.0.8,"), "10.0.0.7");
  TestRequest request;
  EXPECT_EQ(client(request.ip("10.0.0.1")), "10.0.0.1");
}

TEST(ClientAddress, IsUnknownWhereWhoConnectedIsUnknown) {
  for (const std::string_view ip : {"", "unix:", "10.0.0.1.2", "@"}) {
    TestRequest request;
    EXPECT_EQ(client(request.ip(ip).header("X-Forwarded-For", "1.1.1.1")), "none");
  }
}

TEST(ClientAddress, OfAUnixSocketIsToldByItsHeaderOnlyWhereThatIsTrusted) {
  const auto from = [](std::string_view ip, std::string_view list, bool trusts_unix) {
    TestRequest request;
    request.ip(ip).header("X-Forwarded-For", list);
    const Client found = find_client(request.view(), trusted(trusts_unix), ForwardedHeader::kXForwardedFor);
    return found.address ? found.address->text() : "none";
  };
  EXPECT_EQ(from("unix", "203.0.113.7", false), "none");
  EXPECT_EQ(from("unix", "203.0.113.7", true), "203.0.113.7");
  EXPECT_EQ(from("unix", "6.6.6.6, 203.0.113.7, 10.0.0.9", true), "203.0.113.7");
  for (const char* list : {"", "6.6.6.6, unix", "6.6.6.6, unix:"}) EXPECT_EQ(from("unix", list, true), "none") << list;
  for (const char* ip : {"", "unix:", "UNIX", "@"}) EXPECT_EQ(from(ip, "1.1.1.1", true), "none") << ip;
  EXPECT_EQ(from("192.0.2.1", "1.1.1.1", true), "192.0.2.1");
}

TEST(ClientAddress, ReadsForwardedAsItsStandardHasIt) {
  EXPECT_EQ(from_forwarded("for=192.0.2.60;proto=http;by=203.0.113.43"), "192.0.2.60");
  EXPECT_EQ(from_forwarded("proto=http; For = 1.2.3.4"), "10.0.0.1");
  EXPECT_EQ(from_forwarded("by=10.0.0.1 ; FOR=192.0.2.60 ;host=x"), "192.0.2.60");
  EXPECT_EQ(from_forwarded(R"(for="[2001:db8:cafe::17]:4711")"), "2001:db8:cafe::17");
  EXPECT_EQ(from_forwarded(R"(for="192.0.2.43:47011")"), "192.0.2.43");
  EXPECT_EQ(from_forwarded(R"(for="192.0.2.43:_port";host="a,b;for=6.6.6.6")"), "192.0.2.43");
  EXPECT_EQ(from_forwarded(R"(for="1\92.0.2.\43")"), "192.0.2.43");
  EXPECT_EQ(from_forwarded(R"(for=192.0.2.43;host="a\",b", for=10.0.0.9)"), "192.0.2.43");
  EXPECT_EQ(from_forwarded(R"(for="192.0.2.43)"), "10.0.0.1");
  EXPECT_EQ(from_forwarded(R"(for="192.0.2.43\")"), "10.0.0.1");
  EXPECT_EQ(from_forwarded(R"(for=")"), "10.0.0.1");
}

TEST(ClientAddress, OfAProxyIsNotSwallowedByAQuoteOfTheClient) {
  EXPECT_EQ(from_forwarded(R"(for="6.6.6.6, for=203.0.113.7)"), "203.0.113.7");
  EXPECT_EQ(from_forwarded(R"(for="6.6.6.6\, for=203.0.113.7, for="10.0.0.9")"), "203.0.113.7");
  EXPECT_EQ(from_forwarded(R"(\\\", for=203.0.113.7)"), "203.0.113.7");
}

TEST(ClientAddress, ReadsOnlyTheHeaderThatTheRulesChose) {
  TestRequest request;
  request.ip("10.0.0.1").header("X-Forwarded-For", "1.1.1.1").header("Forwarded", "for=2.2.2.2");
  EXPECT_EQ(client(request), "1.1.1.1");
  EXPECT_EQ(client(request, ForwardedHeader::kForwarded), "2.2.2.2");
}

TEST(ClientAddress, LooksAtAHundredHopsAndNoMore) {
  std::string list = "6.6.6.6";
  for (int i = 0; i < kMostHops - 1; ++i) list += ", 10.0.0.9";
  EXPECT_EQ(from_list(list), "6.6.6.6");
  EXPECT_EQ(from_list(list + ", 10.0.0.8"), "10.0.0.9");
  TestRequest request;
  request.ip("10.0.0.1").header("X-Forwarded-For", list + ", 10.0.0.8");
  EXPECT_EQ(find_client(request.view(), trusted(), ForwardedHeader::kXForwardedFor).found, Client::Found::kTooManyHops);
}

TEST(ClientAddress, OfAbsurdHeadersIsFoundAllTheSame) {
  EXPECT_EQ(from_list(std::string(1 << 20, ',') + "203.0.113.7"), "203.0.113.7");
  EXPECT_EQ(from_list(std::string(1 << 20, '1')), "10.0.0.1");
  EXPECT_EQ(from_forwarded(std::string(1 << 20, '"')), "10.0.0.1");
  EXPECT_EQ(from_forwarded(std::string(1 << 20, '\\') + "\""), "10.0.0.1");
  EXPECT_EQ(from_forwarded("for=\"" + std::string(1 << 20, '\\') + "\""), "10.0.0.1");
  EXPECT_EQ(from_forwarded(std::string(1 << 20, ';')), "10.0.0.1");
  EXPECT_EQ(from_list(std::string_view("6.6.6.6\0,\xff", 9)), "10.0.0.1");
}

// Whatever a client sends, and however a proxy behind it writes its address, that address is what is found.
RC_GTEST_PROP(ClientAddress, IsWhatTheNearestUntrustedHopIsCalledByAProxy, ()) {
  const auto sent =
      *rc::gen::container<std::string>(rc::gen::element('"', '\\', ',', ';', 'f', 'o', 'r', '=', '1', '.', ' '));
  const std::string own = *rc::gen::element<std::string>("203.0.113.7", "\"203.0.113.7\"", "\"203.0.113.7:80\"");
  const std::string behind = *rc::gen::element<std::string>("", ", for=10.0.0.9", ", for=\"[fd00::1]\";host=\"a,b\"");
  RC_ASSERT(from_forwarded(sent + ", for=" + own + behind) == "203.0.113.7");
}

RC_GTEST_PROP(NetworkSet, HasTheAddressesOfAnyOfItsNetworks, ()) {
  std::vector<Network> networks;
  const auto any_address = [] {
    Address address;
    address.is_v6 = *rc::gen::arbitrary<bool>();
    for (size_t i = 0; i < 4; ++i) address.bytes[i] = *rc::gen::element<uint8_t>(0, 1, 128, 255);
    return address;
  };
  for (int i = *rc::gen::inRange(0, 30); i > 0; --i) {
    const Address address = any_address();
    const int bits = *rc::gen::inRange(0, 33);
    networks.push_back({address.masked(bits), bits});
  }
  const NetworkSet set(networks);
  for (int i = 0; i < 20; ++i) {
    const Address address = any_address();
    const bool is_in =
        std::any_of(networks.begin(), networks.end(), [&](const auto& n) { return n.contains(address); });
    RC_ASSERT(set.contains(address) == is_in);
  }
}

}  // namespace
}  // namespace sluice::rules
