#include "rules/language/check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "rules/key_source.h"
#include "rules/language/nearest.h"

namespace sluice::rules::language {
namespace {

using documents::Kind;
using documents::Member;
using documents::Node;

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.12g", number);
  return text;
}

Problem must_be(const FieldSpec& field, std::string_view expected, const Node& value, std::string hint = "") {
  return {std::string(field.name) + " must be " + std::string(expected) + ", but is " + found(value), std::move(hint)};
}

std::optional<Problem> wrong_kind(const Node& value, const FieldSpec& field, Kind expected) {
  if (value.kind == expected) return std::nullopt;
  std::string hint;
  if (expected == Kind::kNumber && value.kind == Kind::kString) hint = "a number stands without quotation marks";
  if (expected == Kind::kBool) hint = "write true or false";
  if (expected == Kind::kList && value.kind != Kind::kObject && value.kind != Kind::kNull) {
    hint = "a list stands in brackets, even if it has one item";
  }
  if (expected == Kind::kString && value.kind == Kind::kNumber) hint = "put it in quotation marks";
  return must_be(field, documents::name_of(expected), value, std::move(hint));
}

std::optional<Problem> bad_number(const Node& value, const FieldSpec& field) {
  if (auto problem = wrong_kind(value, field, Kind::kNumber)) return problem;
  const Range& range = field.range;
  if (range.is_positive && value.number <= 0) return must_be(field, "greater than 0", value);
  if (value.number < range.lowest) return must_be(field, "at least " + number_text(range.lowest), value);
  if (value.number > range.highest) return must_be(field, "at most " + number_text(range.highest), value);
  // What is only too large was told of above, by how much there may be.
  if (!std::isfinite(value.number)) return must_be(field, "a finite number", value);
  if (field.type == ValueType::kInteger && value.number != std::floor(value.number)) {
    return must_be(field, "a whole number", value);
  }
  return std::nullopt;
}

// The words that may stand there, and the object that may do so instead, by its fields.
std::string choices_of(const FieldSpec& field) {
  std::vector<std::string> choices(field.choices.begin(), field.choices.end());
  if (field.type == ValueType::kChoiceOr) {
    std::string object;
    for (const FieldSpec& member : field.object->fields) {
      object += (object.empty() ? "an object with " : " and ") + std::string(member.name);
    }
    choices.push_back(object);
  }
  return listing(choices);
}

std::optional<Problem> bad_choice(const Node& value, const FieldSpec& field) {
  if (field.type == ValueType::kChoiceOr && value.kind != Kind::kString) {
    return must_be(field, choices_of(field), value);
  }
  if (auto problem = wrong_kind(value, field, Kind::kString)) return problem;
  if (std::find(field.choices.begin(), field.choices.end(), value.text) != field.choices.end()) return std::nullopt;
  const auto meant = nearest(value.text, field.choices);
  return must_be(field, choices_of(field), value, meant ? "did you mean " + quote(*meant) + "?" : "");
}

std::optional<Problem> bad_source(const Node& value, const FieldSpec& field) {
  if (auto problem = wrong_kind(value, field, Kind::kString)) return problem;
  if (KeySource::parse(value.text)) return std::nullopt;
  return Problem{explain_bad_source(value.text), ""};
}

bool is_list(ValueType type) {
  return type == ValueType::kStrings || type == ValueType::kChoices || type == ValueType::kObjects ||
         type == ValueType::kSources;
}

std::optional<Problem> bad_item(const Node& item, const FieldSpec& field) {
  FieldSpec each = field;
  const std::string name = "each of " + std::string(field.name);
  each.name = name;
  switch (field.type) {
    case ValueType::kStrings: return wrong_kind(item, each, Kind::kString);
    case ValueType::kChoices: return bad_choice(item, each);
    case ValueType::kSources: return bad_source(item, each);
    default: return wrong_kind(item, each, Kind::kObject);
  }
}

// One walk over one object, which reports as it goes.
class ObjectCheck {
 public:
  ObjectCheck(const Node& node, const ObjectSpec& object, const Path& path, Faults& faults)
      : node_(node), object_(object), path_(path), faults_(faults) {}

  void run() {
    for (const Member& member : node_.members) {
      const FieldSpec* field = object_.find(member.name);
      const bool is_second = is_duplicate(member, field);
      if (field != nullptr) {
        check_field(member.value, *field);
      } else if (!is_second) {
        report_unknown(member);
      }
    }
    report_missing();
  }

 private:
  bool is_duplicate(const Member& member, const FieldSpec* field) {
    const std::string name(field == nullptr ? std::string_view(member.name) : canonical_name(*field));
    const auto [first, is_new] = seen_.emplace(name, &member);
    if (is_new) return false;
    const std::string where = " in line " + std::to_string(first->second->position.line);
    if (first->second->name == member.name) {
      faults_.add(member.position, Path(path_, member.name),
                  {quote(member.name) + " is given twice, the first time" + where, "leave one of them out"});
    } else {
      faults_.add(
          member.position, Path(path_, member.name),
          {quote(member.name) + " means the same as " + quote(first->second->name) + where, "leave one of them out"});
    }
    return true;
  }

  void report_unknown(const Member& member) {
    if (object_.other_form != nullptr && object_.other_form->find(member.name) != nullptr) {
      faults_.add(member.position, Path(path_, member.name),
                  {quote(member.name) + " is a field of " + std::string(object_.other_form->what) + ", but this is " +
                       std::string(object_.what),
                   "write a rule either with name, limit_keys and algorithm_config, or with key_pattern, "
                   "rate_per_second and burst_capacity"});
      return;
    }
    faults_.add(member.position, Path(path_, member.name),
                {quote(member.name) + " is no field of " + std::string(object_.what),
                 hint_for_unknown_field(member.name, object_)});
  }

  void check_field(const Node& value, const FieldSpec& field) {
    const Path path(path_, field.name);
    if (auto problem = problem_of(value, field)) {
      faults_.add(value.position, path, *std::move(problem));
      return;
    }
    if (value.kind == Kind::kNull) return;
    const bool may_be_object = field.type == ValueType::kObject || field.type == ValueType::kChoiceOr;
    if (may_be_object && value.kind == Kind::kObject) check_object(value, *field.object, path, faults_);
    if (is_list(field.type)) check_items(value, field, path);
  }

  void check_items(const Node& list, const FieldSpec& field, const Path& path) {
    for (size_t i = 0; i < list.items.size(); ++i) {
      const Node& item = list.items[i];
      const Path item_path(path, i);
      if (auto problem = bad_item(item, field)) {
        faults_.add(item.position, item_path, *std::move(problem));
      } else if (field.type == ValueType::kObjects) {
        check_object(item, form_of(item, *field.object), item_path, faults_);
      }
    }
  }

  void report_missing() {
    for (const FieldSpec& field : object_.fields) {
      if (!field.required || seen_.count(std::string(field.name)) > 0) continue;
      faults_.add(node_.position, path_,
                  {std::string(field.name) + " is missing", std::string(field.name) + ": " + std::string(field.help)});
    }
  }

  const Node& node_;
  const ObjectSpec& object_;
  const Path& path_;
  Faults& faults_;
  std::map<std::string, const Member*> seen_;
};

}  // namespace

std::optional<Problem> problem_of(const Node& value, const FieldSpec& field) {
  if (field.nullable && value.kind == Kind::kNull) return std::nullopt;
  std::optional<Problem> problem;
  switch (field.type) {
    case ValueType::kString: problem = wrong_kind(value, field, Kind::kString); break;
    case ValueType::kBool: return wrong_kind(value, field, Kind::kBool);
    case ValueType::kInteger:
    case ValueType::kNumber: return bad_number(value, field);
    case ValueType::kChoice: return bad_choice(value, field);
    case ValueType::kChoiceOr: return value.kind == Kind::kObject ? std::nullopt : bad_choice(value, field);
    case ValueType::kSource: return bad_source(value, field);
    case ValueType::kObject:
    case ValueType::kMatch: return wrong_kind(value, field, Kind::kObject);
    case ValueType::kCondition: return std::nullopt;
    case ValueType::kTime:
      if (value.kind == Kind::kNumber) return bad_number(value, field);
      if (value.kind != Kind::kString) return must_be(field, "a time such as \"2030-01-31T12:00:00Z\"", value);
      return std::nullopt;
    default: problem = wrong_kind(value, field, Kind::kList); break;
  }
  if (problem || !field.filled) return problem;
  const bool is_empty = value.kind == Kind::kList ? value.items.empty() : value.text.empty();
  if (is_empty) return Problem{std::string(field.name) + " must not be empty", "leave it out, or fill it"};
  return std::nullopt;
}

const ObjectSpec& form_of(const Node& node, const ObjectSpec& object) {
  if (object.other_form == nullptr) return object;
  for (const Member& member : node.members) {
    const bool is_own = object.find(member.name) != nullptr;
    const bool is_other = object.other_form->find(member.name) != nullptr;
    if (is_own != is_other) return is_own ? object : *object.other_form;
  }
  return object;
}

void check_object(const Node& node, const ObjectSpec& object, const Path& path, Faults& faults) {
  if (node.kind != Kind::kObject) {
    faults.add(node.position, path, {"expected an object, but found " + found(node), ""});
    return;
  }
  ObjectCheck(node, object, path, faults).run();
}

}  // namespace sluice::rules::language
