// A JSON object read strictly: every field is asked for by name, and what nobody asked for is an error.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "sluice/units.h"

namespace sluice::scenario {

// What is wrong with a scenario file, in one line: where, what, and what would be right.
class ScenarioError : public std::runtime_error {
 public:
  ScenarioError(const std::string& where, const std::string& what) : std::runtime_error(where + ": " + what) {}
};

// Throws ScenarioError for broken JSON and for an object that has the same field twice.
nlohmann::json parse_strictly(const std::string& text, const std::string& where);

// "1.5s", "250ms", "24h" (units: us, ms, s, m, h, d) or an integer of microseconds; whole microseconds, not negative.
Duration duration_from(const nlohmann::json& value, const std::string& where);

// Refers to the object it reads, which must outlive it. Every getter throws ScenarioError when the value does not fit.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string where);

  bool has(const std::string& name);
  const nlohmann::json& required(const std::string& name);
  std::string text(const std::string& name);
  std::string text_or(const std::string& name, const std::string& otherwise);
  double number(const std::string& name);
  double number_or(const std::string& name, double otherwise);
  int64_t integer(const std::string& name, int64_t least, int64_t most);
  Duration duration(const std::string& name);

  // "steps[2].expect", or with a field's name "steps[2].expect.allowed".
  const std::string& where() const { return where_; }
  std::string where(const std::string& name) const;

  // Call when all fields have been asked for.
  void refuse_the_rest() const;

 private:
  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> known_;
};

}  // namespace sluice::scenario
