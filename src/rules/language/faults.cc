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

Path Path::of_row(int64_t row_id, std::string_view label) {
  Path path;
  path.name_ = label;
  path.row_id_ = row_id;
  path.is_row_ = true;
  return path;
}

Path Path::of_file(std::string_view name) {
  Path path;
  path.file_ = name;
  return path;
}

std::string Path::text() const {
  if (parent_ == nullptr) return std::string(name_);
  std::string text = parent_->text();
  if (name_.data() == nullptr) return text + "[" + std::to_string(index_) + "]";
  if (!is_plain_name(name_)) return text + "[" + quote(name_) + "]";
  return text.empty() ? std::string(name_) : text + (parent_->is_row() ? ": " : ".") + std::string(name_);
}

std::string place_of(documents::Position position, const Path& path, const Path& seen_from) {
  const std::string line = "in line " + std::to_string(position.line);
  return path.file() == seen_from.file() ? line : line + " of " + std::string(path.file());
}

std::string Written::place(const Path& seen_from) const {
  if (!path.is_row()) return place_of(node->position, path, seen_from);
  return path.row_id() == 0 ? "in the new row" : "in row " + std::to_string(path.row_id());
}

std::vector<Written> items_of(const documents::Node& list, const Path& path) {
  std::vector<Written> items;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (list.items[i].kind == documents::Kind::kObject) items.push_back({&list.items[i], Path(path, i)});
  }
  return items;
}

void Faults::add(documents::Position position, const Path& path, Problem problem) {
  if (faults_.size() >= kMostFaults) {
    ++left_out_;
    return;
  }
  const std::string_view file = path.file().empty() ? std::string_view(name_) : path.file();
  faults_.push_back({std::string(file), position.line, position.column, printable(path.text()),
                     printable(std::move(problem.message)), printable(std::move(problem.hint)), path.row_id()});
}

std::vector<Fault> Faults::take() {
  std::stable_sort(faults_.begin(), faults_.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.file, a.row_id, a.line, a.column) < std::tie(b.file, b.row_id, b.line, b.column);
  });
  if (left_out_ > 0) {
    faults_.push_back({name_, 0, 0, "", "and " + std::to_string(left_out_) + " more faults, which are not listed", ""});
  }
  return std::move(faults_);
}

}  // namespace language
}  // namespace sluice::rules
