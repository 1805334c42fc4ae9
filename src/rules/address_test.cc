#include "rules/address.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sluice::rules {
namespace {

std::string read_back(std::string_view text) {
  const auto address = Address::parse(text);
  return address ? address->text() : "none";
}

TEST(Address, IsReadAsProxiesWriteIt) {
  EXPECT_EQ(read_back("1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(read_back("1.2.3.4:80"), "1.2.3.4");
  EXPECT_EQ(read_back("255.255.255.255"), "255.255.255.255");
  EXPECT_EQ(read_back("::1"), "::1");
  EXPECT_EQ(read_back("[::1]"), "::1");
  EXPECT_EQ(read_back("[::1]:80"), "::1");
  EXPECT_EQ(read_back("[2001:DB8::5]:_hidden"), "2001:db8::5");
  EXPECT_EQ(read_back("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(read_back("[fe80::1%eth0]:443"), "fe80::1");
}

TEST(Address, WrittenAsMappedIpv6IsTheIpv4Address) {
  EXPECT_EQ(Address::parse("::ffff:1.2.3.4"), Address::parse("1.2.3.4"));
  EXPECT_EQ(Address::parse("[::FFFF:102:304]:99"), Address::parse("1.2.3.4"));
  EXPECT_FALSE(Address::parse("::ffff:1.2.3.4")->is_v6);
}

TEST(Address, RefusesWhatIsNone) {
  for (const std::string_view text : {"",
                                      " ",
                                      "1.2.3",
                                      "1.2.3.4.5",
                                      "1.2.3.256",
                                      "01.2.3.4",
                                      "1.2.3.4 ",
                                      " 1.2.3.4",
                                      "1.2.3.4:",
                                      "1.2.3.4:123456",
                                      "1.2.3.4:8a",
                                      "1.2.3.4:_",
                                      "1.2.3.4%eth0",
                                      "0x1.2.3.4",
                                      "1",
                                      "localhost",
                                      "unknown",
                                      "_hidden",
                                      "::g",
                                      ":::1",
                                      "1::2::3",
                                      "[::1",
                                      "::1]",
                                      "[::1]80",
                                      "[::1]:",
                                      "[1.2.3.4]",
                                      "[]",
                                      "[",
                                      "fe80::1%",
                                      "1:2:3:4:5:6:7:8:9",
                                      "1.2.3.4/32"}) {
    EXPECT_EQ(read_back(text), "none") << text;
  }
  EXPECT_EQ(read_back(std::string_view("1.2.3.4\0", 8)), "none");
  EXPECT_EQ(read_back(std::string_view("::1\0002", 5)), "none");
  EXPECT_EQ(read_back(std::string(1 << 20, '1')), "none");
  EXPECT_EQ(read_back(std::string(1 << 20, ':')), "none");
}

TEST(Address, TextIsThatOfRfc5952) {
  EXPECT_EQ(read_back("2001:0DB8:0000:0000:0000:0000:0002:0001"), "2001:db8::2:1");
  EXPECT_EQ(read_back("2001:db8:0:1:1:1:1:1"), "2001:db8:0:1:1:1:1:1");
  EXPECT_EQ(read_back("2001:0:0:1:0:0:0:1"), "2001:0:0:1::1");
  EXPECT_EQ(read_back("2001:db8:0:0:1:0:0:1"), "2001:db8::1:0:0:1");
  EXPECT_EQ(read_back("0:0:0:0:0:0:0:0"), "::");
  EXPECT_EQ(read_back("1:0:0:0:0:0:0:0"), "1::");
  EXPECT_EQ(read_back("1:2:3:4:5:6:0:0"), "1:2:3:4:5:6::");
  EXPECT_EQ(read_back("0:2:3:4:5:6:7:8"), "0:2:3:4:5:6:7:8");
  EXPECT_EQ(read_back("::1.2.3.4"), "::102:304");
  EXPECT_EQ(read_back("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff").size(), Address::kLongestText);
}

Address any_address() {
  Address address;
  address.is_v6 = *rc::gen::arbitrary<bool>();
  // Many zeros, so that runs of them meet.
  for (size_t i = 0; i < (address.is_v6 ? 16u : 4u); ++i) {
    address.bytes[i] =
        *rc::gen::weightedOneOf<uint8_t>({{3, rc::gen::just(uint8_t{0})}, {1, rc::gen::arbitrary<uint8_t>()}});
  }
  return address;
}

RC_GTEST_PROP(Address, TextReadsBackAsTheSameAddress, ()) {
  const Address address = any_address();
  const bool is_mapped =
      address.is_v6 && address.masked(96) == Address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, true};
  RC_PRE(!is_mapped);
  RC_ASSERT(Address::parse(address.text()) == address);
}

RC_GTEST_PROP(Address, MaskedKeepsJustTheFirstBits, ()) {
  const Address address = any_address();
  const int bits = *rc::gen::inRange(0, address.bits() + 1);
  const Address masked = address.masked(bits);
  for (int i = 0; i < address.bits(); ++i) {
    const auto bit = [&](const Address& a) { return a.bytes[static_cast<size_t>(i / 8)] >> (7 - i % 8) & 1; };
    RC_ASSERT(bit(masked) == (i < bits ? bit(address) : 0));
  }
  RC_ASSERT(masked.is_v6 == address.is_v6);
}

TEST(Network, ContainsTheAddressesOfItsPrefix) {
  const auto contains = [](std::string_view network, std::string_view address) {
    return Network::parse(network).value().contains(Address::parse(address).value());
  };
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(contains("10.1.2.3", "10.1.2.3"));
  EXPECT_FALSE(contains("10.1.2.3", "10.1.2.2"));
  EXPECT_TRUE(contains("10.128.0.0/9", "10.200.0.1"));
  EXPECT_FALSE(contains("10.128.0.0/9", "10.127.255.255"));
  EXPECT_TRUE(contains("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(contains("2001:db8::/33", "2001:db8:8000::"));
  EXPECT_TRUE(contains("10.0.0.0/8", "::ffff:10.1.1.1"));
  EXPECT_TRUE(contains("::ffff:10.0.0.0/104", "10.1.1.1"));
}

TEST(Network, OfOneFamilyContainsNoneOfTheOther) {
  EXPECT_TRUE(Network::parse("0.0.0.0/0")->contains(*Address::parse("1.2.3.4")));
  EXPECT_FALSE(Network::parse("0.0.0.0/0")->contains(*Address::parse("::1")));
  EXPECT_FALSE(Network::parse("::/0")->contains(*Address::parse("1.2.3.4")));
}

TEST(Network, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8 ",
        "10.0.0.0/8/8", "10.0.0.0:80", "10.0.0.0:80/8", "[::]/0", "::/129", "::1/127", "fe80::%eth0/64", "10/8",
        "::ffff:10.0.0.0/8", "10.0.0.0/99999999999999999999"}) {
    EXPECT_FALSE(Network::parse(text)) << text;
  }
}

TEST(Network, TextNamesItsLength) {
  EXPECT_EQ(Network::parse("10.0.0.0/8")->text(), "10.0.0.0/8");
  EXPECT_EQ(Network::parse("10.0.0.1")->text(), "10.0.0.1/32");
  EXPECT_EQ(Network::parse("2001:DB8:0::/32")->text(), "2001:db8::/32");
}

}  // namespace
}  // namespace sluice::rules
