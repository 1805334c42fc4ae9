// Where faults are gathered, and the words they are told in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"
#include "documents/wording.h"
#include "rules/language/load.h"

namespace sluice::rules::language {

// A field's place in the file: "policies[0].rules[2].burst", or in a table: "rule 7 (global): burst_capacity". A chain
// of values on the stack: each lives in the frame that made it, and text is made only for faults.
class Path {
 public:
  Path() = default;
  Path(const Path& parent, std::string_view name) : parent_(&parent), name_(name) {}
  Path(const Path& parent, size_t index) : parent_(&parent), index_(index) {}
  // Where a row of a table begins. With no label, fields are told as those of a file are.
  static Path of_row(int64_t row_id, std::string_view label);
  // Where a file begins.
  static Path of_file(std::string_view name);

  std::string text() const;
  // Of the row that it is in; 0: in none, or in one that has no number yet.
  int64_t row_id() const { return parent_ == nullptr ? row_id_ : parent_->row_id(); }
  // That it is in; empty: in that of the Faults.
  std::string_view file() const { return parent_ == nullptr ? file_ : parent_->file(); }
  // Where a whole row stands, not something in it.
  bool is_row() const { return is_row_; }

 private:
  const Path* parent_ = nullptr;
  std::string_view name_;  // of a row: its label
  std::string_view file_;
  size_t index_ = 0;
  int64_t row_id_ = 0;
  bool is_row_ = false;
};

// "in line 14", or as seen from another file "in line 14 of rules.d/a.yaml".
std::string place_of(documents::Position position, const Path& path, const Path& seen_from);

// A rule or a policy as it is written, and where: as an item of a list, or as a row of a table.
struct Written {
  const documents::Node* node;
  Path path;

  // Like place_of(), or "in row 7".
  std::string place(const Path& seen_from) const;
};

// Those that are objects; the checker has reported the others.
std::vector<Written> items_of(const documents::Node& list, const Path& path);

// What is wrong with a value, before it is known where that is.
struct Problem {
  std::string message;
  std::string hint;
};

// Keeps at most kMostFaults, and counts the others: a hostile file does not fill the memory with words.
class Faults {
 public:
  static constexpr size_t kMostFaults = 1'000;

  // `name` is that of the file, of the folder of files, or of the table.
  explicit Faults(std::string name) : name_(std::move(name)) {}

  void add(documents::Position position, const Path& path, Problem problem);
  bool empty() const { return faults_.empty(); }
  size_t count() const { return faults_.size() + left_out_; }

  // In the order of the file; of several, by their names; of a table, by row.
  std::vector<Fault> take();

 private:
  std::string name_;
  std::vector<Fault> faults_;
  size_t left_out_ = 0;
};

using documents::found;
using documents::listing;
using documents::printable;
using documents::quote;

}  // namespace sluice::rules::language
