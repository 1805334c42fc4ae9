#include "documents/wording.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace sluice::documents {
namespace {

constexpr size_t kLongestQuote = 60;
constexpr size_t kLongestWord = 64;

// Case and the character between words are what people get wrong first.
char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' || c == ' ' ? '_' : c;
}

// How many characters must be put in, taken out, changed, or swapped with their neighbour.
size_t distance(std::string_view a, std::string_view b) {
  std::array<std::vector<size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  std::iota(rows[1].begin(), rows[1].end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& [before_last, last, row] = rows;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = last[j - 1] + (folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1);
      row[j] = std::min({changed, row[j - 1] + 1, last[j] + 1});
      const bool is_swap =
          i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
  }
  return rows[1][b.size()];
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string printable(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // Beyond ASCII there are 32 more, two bytes each.
    const bool is_wide = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (is_wide) text.erase(i + 1, 1);
    if (byte < ' ' || byte == 0x7f || is_wide) text[i] = '?';
  }
  return text;
}

std::string quote(std::string_view text) {
  size_t end = std::min(text.size(), kLongestQuote);
  while (end > 0 && end < text.size() && continues_character(text[end])) --end;
  return "'" + std::string(text.substr(0, end)) + (end < text.size() ? "...'" : "'");
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Kind::kString: return "the string " + quote(node.text);
    case Kind::kNumber: {
      const std::string quoted = quote(node.text);
      return quoted.substr(1, quoted.size() - 2);
    }
    case Kind::kBool: return node.boolean ? "true" : "false";
    default: return name_of(node.kind);
  }
}

std::string listing(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> words) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : words) {
    const size_t edits = distance(word, candidate);
    if (edits >= least) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

}  // namespace sluice::documents
