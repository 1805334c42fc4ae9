// The words of the table (table.h): which objects a rules file is made of, which fields they have, and what may stand
// there. The checker, the schema and the reference page are all made from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace sluice::rules::language {

enum class ValueType : uint8_t {
  kString,
  kBool,
  kInteger,
  kNumber,
  kChoice,     // one of `choices`
  kChoiceOr,   // one of `choices`, or `object`
  kStrings,    // a list
  kChoices,    // a list
  kObject,     // `object`
  kObjects,    // a list of `object`, each of which may also be its `other_form`
  kSource,     // of a value: header:x-api-key
  kSources,    // a list
  kCondition,  // a value, a list of values, or `object` with one operator
  kMatch,      // an object from sources to conditions
  kTime,       // a string in RFC 3339, or unix seconds
};

struct Range {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool is_positive = false;  // greater than 0, in addition
};

struct ObjectSpec;

struct FieldSpec {
  std::string_view name;
  ValueType type = ValueType::kString;
  std::string_view help;  // one sentence
  bool required = false;
  bool nullable = false;           // null is the same as leaving it out
  bool filled = false;             // lists and strings: not empty
  std::string_view alias_of = {};  // another name for that field of the same object
  Range range = {};
  std::span<const std::string_view> choices = {};
  const ObjectSpec* object = nullptr;
  std::string_view fallback = {};  // what it is where it is left out, as JSON
};

struct ObjectSpec {
  std::string_view name;  // in the schema: "policy"
  std::string_view what;  // in sentences: "a policy"
  std::string_view help;
  std::span<const FieldSpec> fields;
  const ObjectSpec* other_form = nullptr;  // the same thing in other fields; the two are not mixed

  const FieldSpec* find(std::string_view field) const;
};

// The name that a field and its aliases share.
inline std::string_view canonical_name(const FieldSpec& field) {
  return field.alias_of.empty() ? field.name : field.alias_of;
}

}  // namespace sluice::rules::language
