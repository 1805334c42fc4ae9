// What asking a database may come to: a value, or why there is none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace sluice::sql {

enum class Trouble : uint8_t {
  kAway,       // not reached, or lost on the way: worth another try, on a new connection
  kBusy,       // others held it for too long: worth another try
  kReadOnly,   // the file, its folder or the role may not be written
  kFull,       // no room on the disk
  kTooNew,     // its schema is from a later Sluice
  kDuplicate,  // a row with this name is there already
  kRefused,    // a value that the schema does not take
  kBroken,     // anything else, as the database words it
};

// For people: one sentence on what happened, and what to do where that is known.
struct Fault {
  Trouble trouble = Trouble::kBroken;
  std::string message;
  std::string hint{};

  std::string in_one_line() const { return hint.empty() ? message : message + " (" + hint + ")"; }
};

// A value for what has no result but that it was done.
struct Done {};

// Either a value or a fault; asked like a pointer.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor): `return value;`
  Outcome(Fault fault) : state_(std::move(fault)) {}  // NOLINT(google-explicit-constructor): `return fault;`

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  // REQUIRES: there is a value.
  T& operator*() { return std::get<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  // REQUIRES: there is none.
  const Fault& fault() const { return std::get<Fault>(state_); }

 private:
  std::variant<T, Fault> state_;
};

}  // namespace sluice::sql
