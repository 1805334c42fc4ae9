// Reads the words, numbers and durations that the language of --arrivals is made of.
// The first failure is kept; what is read after it has no meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulate/arrivals.h"

namespace sluice::simulate {

// A decimal as it was written: digits / scale, where scale is a power of ten.
struct Decimal {
  uint64_t digits = 0;
  uint64_t scale = 1;
  size_t position = 0;

  bool is_whole() const { return digits % scale == 0; }
  double as_double() const { return static_cast<double>(digits) / static_cast<double>(scale); }
};

struct Unit {
  std::string_view name;
  int64_t ns;
};

// The units of a duration, and those a rate may be given per.
std::optional<Unit> find_duration_unit(std::string_view text);
std::optional<Unit> find_rate_unit(std::string_view text);

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {
    skip_space();
    begin_phase();
  }

  size_t position() const { return position_; }
  bool at_end() const { return position_ == text_.size(); }
  const std::optional<SyntaxError>& error() const { return error_; }

  // Error messages quote what was read since here.
  void begin_phase() { phase_start_ = position_; }

  // Reads `word` if it comes next.
  bool accept(std::string_view word);
  bool expect(std::string_view word);
  // Each of these fails unless it reads what it says, and that is greater than 0.
  std::optional<Decimal> number(std::string_view expected);
  std::optional<Unit> rate_unit();
  // As an exact fraction of nanoseconds.
  std::optional<Spacing> duration(std::string_view expected);

  // Keeps "expected `expected` after ..., but found ..." at the current position. Always false.
  bool fail_expecting(std::string_view expected);
  // The same of something already read, from `position` on.
  bool fail_about(size_t position, std::string_view expected);
  bool fail_at(size_t position, std::string message);

 private:
  std::optional<Unit> unit(std::optional<Unit> found, std::string_view expected);
  void skip_space();
  // What comes next, as a person would quote it: a word, a number or a character.
  std::string found() const;
  // What was read from `start` on, with its white space made plain. Empty when nothing was.
  // REQUIRES: no white space at `start`.
  std::string read_since(size_t start) const;

  std::string_view text_;
  size_t position_ = 0;
  size_t phase_start_ = 0;
  size_t last_end_ = 0;
  std::optional<SyntaxError> error_;
};

}  // namespace sluice::simulate
