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

constexpr size_t kLongestName = 60;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
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

}  // namespace language
}  // namespace sluice::rules
