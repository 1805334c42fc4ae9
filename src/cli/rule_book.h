// Where `sluice rules` reads and changes rules: a database, or the admin door of a server. Both speak the API's JSON,
// so that a command does the same wherever it does it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "cli/output.h"
#include "cli/place.h"

namespace sluice::cli {

// One connection; used by one thread.
class RuleBook {
 public:
  using Json = nlohmann::ordered_json;
  using Answer = std::variant<Json, Failure>;
  using Text = std::variant<std::string, Failure>;

  virtual ~RuleBook() = default;

  // An array of rows, by id.
  virtual Answer list() = 0;
  // The row as it is then. What is sent is a text in JSON: a value of a condition counts as it is written.
  virtual Answer create(const std::string& rule) = 0;
  // Changes the fields that are given, if the row still has that version.
  virtual Answer change(int64_t id, int64_t version, const std::string& fields) = 0;
  virtual std::optional<Failure> remove(int64_t id, int64_t version) = 0;
  // An array, the newest first; of one rule, or of all.
  virtual Answer history(std::optional<int64_t> id, size_t most) = 0;

  // All rules as one file, each number as it was written.
  virtual Text read_file() = 0;
  // What the text, a rules file, says: beside what is there already, or instead of it. How many rows that made.
  virtual Answer write_file(const std::string& text, const std::string& name, bool replaces) = 0;
};

// Only who adds rules makes a file that was named and is not there.
enum class BookFor : uint8_t { kAdding, kOther };
std::variant<std::unique_ptr<RuleBook>, Failure> open_book(const Place& place, BookFor use);

}  // namespace sluice::cli
