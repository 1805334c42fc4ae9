#include "rules/language/schema.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/language/table.h"

namespace sluice::rules {
namespace {

using documents::list_node;
using documents::Member;
using documents::Node;
using documents::object_node;
using documents::string_node;
using language::FieldSpec;
using language::ObjectSpec;
using language::ValueType;

constexpr std::string_view kSourcePattern =
    "^(ip:address(/[1-9][0-9]{0,2}){0,2}|(header|query|cookie|jwt|attr):\\S+|path|method|host)$";

using Members = std::vector<Member>;

void add(Members& members, std::string_view name, Node value) {
  members.push_back({std::string(name), {}, std::move(value)});
}

Node number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.12g", value);
  return documents::number_node(text);
}

Node reference(std::string_view name) {
  Members members;
  add(members, "$ref", string_node("#/$defs/" + std::string(name)));
  return object_node(std::move(members));
}

Node strings(std::span<const std::string_view> texts) {
  std::vector<Node> items;
  for (const std::string_view text : texts) items.push_back(string_node(text));
  return list_node(std::move(items));
}

Node of_type(std::string_view type) {
  Members members;
  add(members, "type", string_node(type));
  return object_node(std::move(members));
}

Node any_of(std::vector<Node> choices) {
  Members members;
  add(members, "anyOf", list_node(std::move(choices)));
  return object_node(std::move(members));
}

Node source_schema() {
  Members members;
  add(members, "type", string_node("string"));
  add(members, "pattern", string_node(kSourcePattern));
  return object_node(std::move(members));
}

Node list_of(Node item, bool is_filled) {
  Members members;
  add(members, "type", string_node("array"));
  add(members, "items", std::move(item));
  if (is_filled) add(members, "minItems", number(1));
  return object_node(std::move(members));
}

Node choices_schema(const FieldSpec& field) {
  Members members;
  add(members, "enum", strings(field.choices));
  return object_node(std::move(members));
}

Node number_schema(const FieldSpec& field) {
  Members members;
  add(members, "type", string_node(field.type == ValueType::kNumber ? "number" : "integer"));
  if (field.range.is_positive) add(members, "exclusiveMinimum", number(0));
  if (std::isfinite(field.range.lowest) && !(field.range.is_positive && field.range.lowest == 0)) {
    add(members, "minimum", number(field.range.lowest));
  }
  if (std::isfinite(field.range.highest)) add(members, "maximum", number(field.range.highest));
  return object_node(std::move(members));
}

Node string_schema(const FieldSpec& field) {
  Members members;
  const std::string_view types[] = {"string", "null"};
  add(members, "type", field.nullable ? strings(types) : string_node("string"));
  if (field.filled) add(members, "minLength", number(1));
  return object_node(std::move(members));
}

Node match_schema() {
  Members members;
  add(members, "type", string_node("object"));
  add(members, "propertyNames", source_schema());
  add(members, "additionalProperties", reference("value"));
  return object_node(std::move(members));
}

Node objects_schema(const FieldSpec& field) {
  Node item = reference(field.object->name);
  if (field.object->other_form != nullptr) item = any_of({std::move(item), reference(field.object->other_form->name)});
  return list_of(std::move(item), field.filled);
}

Node value_schema(const FieldSpec& field) {
  switch (field.type) {
    case ValueType::kString: return string_schema(field);
    case ValueType::kBool: return of_type("boolean");
    case ValueType::kInteger:
    case ValueType::kNumber: return number_schema(field);
    case ValueType::kChoice: return choices_schema(field);
    case ValueType::kChoiceOr: return any_of({choices_schema(field), reference(field.object->name)});
    case ValueType::kStrings: return list_of(of_type("string"), field.filled);
    case ValueType::kChoices: return list_of(choices_schema(field), field.filled);
    case ValueType::kObject: return reference(field.object->name);
    case ValueType::kObjects: return objects_schema(field);
    case ValueType::kSource: return source_schema();
    case ValueType::kSources: return list_of(source_schema(), field.filled);
    case ValueType::kCondition: return reference(field.object == nullptr ? "plain_value" : "value");
    case ValueType::kMatch: return match_schema();
    case ValueType::kTime: return any_of({of_type("string"), number_schema(field)});
  }
  return of_type("string");
}

Node field_schema(const FieldSpec& field) {
  Node node = value_schema(field);
  node.members.insert(node.members.begin(), Member{"description", {}, string_node(field.help)});
  if (!field.fallback.empty()) {
    auto parsed = documents::read_json(field.fallback);
    if (auto* value = std::get_if<Node>(&parsed)) add(node.members, "default", std::move(*value));
  }
  return node;
}

Node object_schema(const ObjectSpec& object) {
  Members properties;
  std::vector<Node> required;
  for (const FieldSpec& field : object.fields) {
    add(properties, field.name, field_schema(field));
    if (field.required) required.push_back(string_node(field.name));
  }
  Members members;
  add(members, "description", string_node(object.help));
  add(members, "type", string_node("object"));
  add(members, "properties", object_node(std::move(properties)));
  if (!required.empty()) add(members, "required", list_node(std::move(required)));
  add(members, "additionalProperties", documents::bool_node(false));
  return object_node(std::move(members));
}

// A value or a list of values: what conditions are made of.
Node plain_value_schema() {
  const std::string_view scalars[] = {"string", "number", "boolean"};
  Members scalar;
  add(scalar, "type", strings(scalars));
  Node one = object_node(std::move(scalar));
  return any_of({one, list_of(one, true)});
}

}  // namespace

std::string rules_schema() {
  Members definitions;
  add(definitions, "plain_value", plain_value_schema());
  add(definitions, "value", any_of({reference("plain_value"), reference("condition")}));
  for (const ObjectSpec* object : language::all_specs().subspan(1)) {
    add(definitions, object->name, object_schema(*object));
  }
  Node root = object_schema(language::kFileSpec);
  root.members.insert(root.members.begin(), Member{"title", {}, string_node("Rules of Sluice")});
  root.members.insert(root.members.begin(),
                      Member{"$schema", {}, string_node("https://json-schema.org/draft/2020-12/schema")});
  add(root.members, "$defs", object_node(std::move(definitions)));
  return documents::write_json(root);
}

}  // namespace sluice::rules
