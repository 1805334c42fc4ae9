#include "documents/source_text.h"

#include <gtest/gtest.h>

namespace sluice::documents {
namespace {

TEST(SourceText, CountsLinesAndCharactersFromOne) {
  Positions positions("ab\né€\r\nx");
  EXPECT_EQ(positions.at(0), (Position{1, 1}));
  EXPECT_EQ(positions.at(2), (Position{1, 3}));
  EXPECT_EQ(positions.at(3), (Position{2, 1}));
  EXPECT_EQ(positions.at(5), (Position{2, 2}));
  EXPECT_EQ(positions.at(10), (Position{3, 1}));
}

TEST(SourceText, AnswersInAnyOrderAndNotBeyondTheEnd) {
  Positions positions("a\nb");
  EXPECT_EQ(positions.at(100), (Position{2, 2}));
  EXPECT_EQ(positions.at(0), (Position{1, 1}));
  EXPECT_EQ(positions.at(2), (Position{2, 1}));
}

TEST(SourceText, QuotesAWordAndCutsALongOneBetweenCharacters) {
  EXPECT_EQ(quote_at("a word", 2), "'word'");
  EXPECT_EQ(quote_at("{}", 0), "'{'");
  EXPECT_EQ(quote_at("x\ny", 1), "the end of the line");
  EXPECT_EQ(quote_at("\x01", 0), "a control character");
  EXPECT_EQ(quote_at("x", 1), "the end of the text");
  std::string word;
  for (int i = 0; i < 40; ++i) word += "\u20ac";
  const std::string quote = quote_at(word, 0);
  EXPECT_LT(quote.size(), 40u);
  EXPECT_EQ(find_bad_utf8(quote), std::nullopt);
}

TEST(SourceText, FindsTheFirstByteThatIsNoUtf8) {
  EXPECT_EQ(find_bad_utf8("a\u00e9\u20ac\U0001F600\U0010FFFF"), std::nullopt);
  EXPECT_EQ(find_bad_utf8("ab\xff"), 2u);
  EXPECT_EQ(find_bad_utf8("ab\xe2\x82"), 2u);
  EXPECT_EQ(find_bad_utf8("\xc1\xbf"), 0u);
  EXPECT_EQ(find_bad_utf8("\xed\xbf\xbf"), 0u);
  EXPECT_EQ(find_bad_utf8("\xf0\x8f\xbf\xbf"), 0u);
  EXPECT_EQ(find_bad_utf8("\xf5\x80\x80\x80"), 0u);
}

}  // namespace
}  // namespace sluice::documents
