// An object's fields as the builders read them: values that the table refused are simply not there, since the checker
// has reported them already.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "documents/document.h"
#include "rules/language/spec.h"

namespace sluice::rules::language {

// A view: the tree and the table outlive it.
class Fields {
 public:
  Fields(const documents::Node& node, const ObjectSpec& object);

  const documents::Node& node() const { return node_; }

  // Whether the field or an alias of it is written, be it right or wrong.
  bool has(std::string_view name) const { return member(name) != nullptr; }
  // Whether the table has nothing against the values of these, or they are not written.
  bool are_clean(std::initializer_list<std::string_view> names) const;
  // The member as it was written, under whichever of its names.
  const documents::Member* member(std::string_view name) const;
  // The value, if the table has nothing against it; nullptr for null as well.
  const documents::Node* value(std::string_view name) const;

  std::optional<double> number(std::string_view name) const;
  std::string_view text(std::string_view name, std::string_view fallback = "") const;
  bool boolean(std::string_view name, bool fallback) const;

  // Where to point at for a field: at its value, else at the object.
  documents::Position position(std::string_view name) const;

 private:
  static constexpr size_t kMostFields = 16;

  const documents::Node& node_;
  const ObjectSpec& object_;
  std::array<const documents::Member*, kMostFields> members_{};  // by the index of the canonical name
};

}  // namespace sluice::rules::language
