#include "rules/table/row_tree.h"

#include <array>
#include <charconv>
#include <utility>
#include <variant>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/language/table.h"

namespace sluice::rules {
namespace {

using documents::Member;
using documents::Node;
using documents::Position;
using language::Faults;
using language::Path;

constexpr Position kNowhere{0, 0};

// What has a column of its own stands in no definition.
constexpr std::array<std::string_view, 4> kColumns = {"id", "name", "description", "is_active"};

void add_member(Node& object, std::string_view name, Node value) {
  value.position = kNowhere;
  object.members.push_back({std::string(name), kNowhere, std::move(value)});
}

void add_text(Node& object, std::string_view name, const std::optional<std::string>& text) {
  if (text) add_member(object, name, documents::string_node(*text));
}

void add_number(Node& object, std::string_view name, const std::optional<double>& number) {
  if (!number) return;
  Node node = documents::number_node(number_text(*number));
  node.number = *number;
  add_member(object, name, std::move(node));
}

Node table_tree(const Row& row, const Path& path, Faults& faults) {
  Node tree = documents::object_node({});
  tree.position = kNowhere;
  add_member(tree, "key_pattern", documents::string_node(row.key_pattern));
  add_text(tree, "scope", row.scope);
  add_number(tree, "rate_per_second", row.rate_per_second);
  add_number(tree, "burst_capacity", row.burst_capacity);
  add_text(tree, "plan", row.plan);
  add_member(tree, "is_active", documents::bool_node(row.is_active));
  add_text(tree, "description", row.description);
  if (row.definition) {
    faults.add(kNowhere, Path(path, "definition"),
               {"a row in the table form has no definition", "what it says goes into a row rule:NAME or policy:ID"});
  }
  return tree;
}

// A rule or a policy says in its definition what the table form has columns for.
void refuse_columns(const Row& row, const Path& path, Faults& faults) {
  const auto refuse = [&](bool is_there, std::string_view column) {
    if (!is_there) return;
    faults.add(
        kNowhere, Path(path, column),
        {std::string(column) + " is for rows in the table form, but this is " + std::string(spec_of(form_of(row)).what),
         "set it to null: the definition says it"});
  };
  refuse(row.scope.has_value(), "scope");
  refuse(row.rate_per_second.has_value(), "rate_per_second");
  refuse(row.burst_capacity.has_value(), "burst_capacity");
  refuse(row.plan.has_value(), "plan");
}

void refuse_in_definition(const Node& definition, const Path& path, Faults& faults) {
  for (const Member& member : definition.members) {
    for (const std::string_view column : kColumns) {
      if (member.name != column) continue;
      faults.add(member.position, Path(path, column),
                 {member.name + " does not belong into a definition",
                  column == "id" || column == "name" ? "key_pattern says it" : "it is a column of its own"});
    }
  }
}

std::optional<Node> definition_of(const Row& row, const Path& path, Faults& faults) {
  const Path here(path, "definition");
  if (!row.definition) {
    faults.add(kNowhere, here, {"definition is missing", "the rest of the rule or policy as a JSON object"});
    return std::nullopt;
  }
  auto parsed = documents::read_json(*row.definition);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    faults.add(fault->position, here, {fault->message, ""});
    return std::nullopt;
  }
  Node definition = std::get<Node>(std::move(parsed));
  if (definition.kind == documents::Kind::kObject) return definition;
  faults.add(definition.position, here, {"definition must be an object, but is " + language::found(definition), ""});
  return std::nullopt;
}

}  // namespace

RowForm form_of(const Row& row) {
  if (row.key_pattern.starts_with(kRulePrefix)) return RowForm::kRule;
  return row.key_pattern.starts_with(kPolicyPrefix) ? RowForm::kPolicy : RowForm::kTable;
}

const language::ObjectSpec& spec_of(RowForm form) {
  switch (form) {
    case RowForm::kRule: return language::kRuleSpec;
    case RowForm::kPolicy: return language::kPolicySpec;
    case RowForm::kTable: break;
  }
  return language::kTableRowSpec;
}

std::string_view name_field_of(RowForm form) {
  if (form == RowForm::kTable) return {};
  return form == RowForm::kRule ? "name" : "id";
}

std::string subject_of(const Row& row) { return row.plan ? row.key_pattern + "@" + *row.plan : row.key_pattern; }

std::string label_of(const Row& row) {
  const std::string number = is_new(row) ? "new rule" : "rule " + std::to_string(row.id);
  return number + " (" + subject_of(row) + ")";
}

std::optional<Node> tree_of(const Row& row, const Path& path, Faults& faults) {
  const RowForm form = form_of(row);
  if (form == RowForm::kTable) return table_tree(row, path, faults);
  refuse_columns(row, path, faults);
  auto definition = definition_of(row, path, faults);
  if (!definition) return std::nullopt;
  refuse_in_definition(*definition, path, faults);
  Node tree = documents::object_node({});
  tree.position = definition->position;
  const std::string_view prefix = form == RowForm::kRule ? kRulePrefix : kPolicyPrefix;
  add_member(tree, name_field_of(form), documents::string_node(row.key_pattern.substr(prefix.size())));
  add_text(tree, "description", row.description);
  add_member(tree, "is_active", documents::bool_node(row.is_active));
  for (Member& member : definition->members) {
    bool is_column = false;
    for (const std::string_view column : kColumns) is_column = is_column || member.name == column;
    if (!is_column) tree.members.push_back(std::move(member));
  }
  return tree;
}

std::string number_text(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), number).ptr;
  return std::string(text, end);
}

}  // namespace sluice::rules
