#include "rules/language/fields.h"

#include <algorithm>
#include <cassert>

#include "rules/language/check.h"

namespace sluice::rules::language {

using documents::Kind;
using documents::Member;
using documents::Node;

Fields::Fields(const Node& node, const ObjectSpec& object) : node_(node), object_(object) {
  assert(object.fields.size() <= kMostFields);
  for (const Member& member : node.members) {
    const FieldSpec* field = object.find(member.name);
    if (field == nullptr) continue;
    const auto index = static_cast<size_t>(object.find(canonical_name(*field)) - object.fields.data());
    if (members_[index] == nullptr) members_[index] = &member;
  }
}

const Member* Fields::member(std::string_view name) const {
  const FieldSpec* field = object_.find(name);
  assert(field != nullptr && field->alias_of.empty());
  return members_[static_cast<size_t>(field - object_.fields.data())];
}

bool Fields::are_clean(std::initializer_list<std::string_view> names) const {
  return std::none_of(names.begin(), names.end(), [&](std::string_view name) {
    const Member* written = member(name);
    return written != nullptr && problem_of(written->value, *object_.find(written->name));
  });
}

const Node* Fields::value(std::string_view name) const {
  const Member* written = member(name);
  if (written == nullptr || written->value.kind == Kind::kNull) return nullptr;
  return problem_of(written->value, *object_.find(written->name)) ? nullptr : &written->value;
}

std::optional<double> Fields::number(std::string_view name) const {
  const Node* node = value(name);
  return node == nullptr ? std::nullopt : std::optional(node->number);
}

std::string_view Fields::text(std::string_view name, std::string_view fallback) const {
  const Node* node = value(name);
  return node == nullptr ? fallback : std::string_view(node->text);
}

bool Fields::boolean(std::string_view name, bool fallback) const {
  const Node* node = value(name);
  return node == nullptr ? fallback : node->boolean;
}

documents::Position Fields::position(std::string_view name) const {
  const Member* written = member(name);
  return written == nullptr ? node_.position : written->value.position;
}

}  // namespace sluice::rules::language
