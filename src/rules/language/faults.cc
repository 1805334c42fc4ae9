#include "rules/language/faults.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::rules {

std::string describe(const Fault& fault) {
  std::string text = fault.file;
  if (fault.line > 0) text += ":" + std::to_string(fault.line) + ":" + std::to_string(fault.column);
  text += ": ";
  if (!fault.field.empty()) text += fault.field + ": ";
  text += fault.message;
  if (!fault.hint.empty()) text += "\n  hint: " + fault.hint;
  return text;
}

namespace language {
namespace {

constexpr size_t kLongestQuote = 60;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestQuote && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '$';
  });
}

}  // namespace

std::string Path::text() const {
  if (parent_ == nullptr) return "";
  std::string text = parent_->text();
  if (name_.data() == nullptr) return text + "[" + std::to_string(index_) + "]";
  if (!is_plain_name(name_)) return text + "[" + quote(name_) + "]";
  return text.empty() ? std::string(name_) : text + "." + std::string(name_);
}

void Faults::add(documents::Position position, const Path& path, Problem problem) {
  if (faults_.size() >= kMostFaults) {
    ++left_out_;
    return;
  }
  faults_.push_back({file_, position.line, position.column, printable(path.text()),
                     printable(std::move(problem.message)), printable(std::move(problem.hint))});
}

std::vector<Fault> Faults::take() {
  std::stable_sort(faults_.begin(), faults_.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  if (left_out_ > 0) {
    faults_.push_back({file_, 0, 0, "", "and " + std::to_string(left_out_) + " more faults, which are not listed", ""});
  }
  return std::move(faults_);
}

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

std::string found(const documents::Node& node) {
  switch (node.kind) {
    case documents::Kind::kString: return "the string " + quote(node.text);
    case documents::Kind::kNumber: {
      const std::string quoted = quote(node.text);
      return quoted.substr(1, quoted.size() - 2);
    }
    case documents::Kind::kBool: return node.boolean ? "true" : "false";
    default: return documents::name_of(node.kind);
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

}  // namespace language
}  // namespace sluice::rules
