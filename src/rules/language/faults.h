// Where faults are gathered, and the words they are told in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"
#include "documents/wording.h"
#include "rules/language/load.h"

namespace sluice::rules::language {

// A field's place in the file: "policies[0].rules[2].burst". A chain of values on the stack: each lives in the frame
// that made it, and text is made only for faults.
class Path {
 public:
  Path() = default;
  Path(const Path& parent, std::string_view name) : parent_(&parent), name_(name) {}
  Path(const Path& parent, size_t index) : parent_(&parent), index_(index) {}

  std::string text() const;

 private:
  const Path* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
};

// What is wrong with a value, before it is known where that is.
struct Problem {
  std::string message;
  std::string hint;
};

// Keeps at most kMostFaults, and counts the others: a hostile file does not fill the memory with words.
class Faults {
 public:
  static constexpr size_t kMostFaults = 1'000;

  explicit Faults(std::string file) : file_(std::move(file)) {}

  void add(documents::Position position, const Path& path, Problem problem);
  bool empty() const { return faults_.empty(); }
  size_t count() const { return faults_.size() + left_out_; }

  // In the order of the file.
  std::vector<Fault> take();

 private:
  std::string file_;
  std::vector<Fault> faults_;
  size_t left_out_ = 0;
};

using documents::found;
using documents::listing;
using documents::printable;
using documents::quote;

}  // namespace sluice::rules::language
