#include "rules/bucket_key.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace sluice::rules {
namespace {

std::string key(const std::vector<std::string>& values) {
  KeyMemory memory;
  memory.append_prefix(key_prefix("p", "r"), values.size());
  for (const auto& value : values) memory.append_value(value);
  return std::string(memory.text(0, memory.size()));
}

TEST(BucketKey, IsPolicyRuleAndValues) {
  EXPECT_EQ(key({}), "p|r");
  EXPECT_EQ(key({"10.0.0.1", "abc"}), "p|r|10.0.0.1|abc");
  EXPECT_EQ(key({"a|b", "100%"}), "p|r|a%7Cb|100%25");
  EXPECT_EQ(key({"", "x"}), "p|r|%-|x");
  EXPECT_EQ(key_prefix("a|b", "c%"), "a%7Cb|c%25");
}

TEST(BucketKey, HasAnyBytes) {
  EXPECT_EQ(key({std::string("\0\xff\n", 3)}), std::string("p|r|\0\xff\n", 7));
  EXPECT_EQ(key({std::string(kLongestValue, '%')}).size(), 4 + 3 * kLongestValue);
}

TEST(BucketKey, EscapesWhereverTheSpecialByteStands) {
  for (size_t length = 1; length < 40; ++length) {
    for (size_t place = 0; place < length; ++place) {
      std::string value(length, 'x');
      value[place] = '|';
      EXPECT_EQ(key({value}), "p|r|" + value.substr(0, place) + "%7C" + value.substr(place + 1));
    }
  }
}

rc::Gen<std::vector<std::string>> any_values() {
  return rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::element('|', '%', '-', '2', '5', '7', 'C')));
}

RC_GTEST_PROP(BucketKey, OfDifferentValuesIsDifferent, ()) {
  const auto one = *any_values();
  const auto other = *any_values();
  RC_ASSERT((key(one) == key(other)) == (one == other));
}

RC_GTEST_PROP(BucketKey, OfPoliciesAndRulesIsTheirs, ()) {
  const auto any_name = [] { return *rc::gen::container<std::string>(rc::gen::element('|', '%', 'a')); };
  const std::pair one(any_name(), any_name());
  const std::pair other(any_name(), any_name());
  RC_ASSERT((key_prefix(one.first, one.second) == key_prefix(other.first, other.second)) == (one == other));
}

TEST(BucketKey, StaysWhenItsMemoryGrows) {
  KeyMemory memory;
  std::vector<size_t> ends = {0};
  for (int i = 0; i < 1000; ++i) {
    memory.append_prefix("p|r", 1);
    memory.append_value(std::to_string(i));
    ends.push_back(memory.size());
  }
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(memory.text(ends[i], ends[i + 1]), "p|r|" + std::to_string(i));
}

}  // namespace
}  // namespace sluice::rules
