#include "rules/table/row_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/language/check.h"
#include "rules/language/faults.h"
#include "rules/language/table.h"
#include "rules/table/row_tree.h"

namespace sluice::rules {
namespace {

using documents::Kind;
using documents::Member;
using documents::Node;
using documents::Position;
using language::Faults;
using language::Path;

constexpr Position kNowhere{0, 0};
constexpr std::array<std::string_view, 4> kKeptByDatabase = {"rule_id", "version", "created_at", "updated_at"};
// Only a policy has these.
constexpr std::array<std::string_view, 3> kOfPolicies = {"rules", "selector", "kill_switches"};
// Columns of their own.
constexpr std::array<std::string_view, 4> kNotInDefinition = {"id", "name", "description", "is_active"};

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Node integer_node(int64_t number) {
  Node node = documents::number_node(std::to_string(number));
  node.number = static_cast<double>(number);
  return node;
}

void add(Node& object, std::string_view name, Node value) {
  object.members.push_back({std::string(name), kNowhere, std::move(value)});
}

Node text_or_null(const std::optional<std::string>& text) { return text ? documents::string_node(*text) : Node(); }

RowForm form_of_body(const Node& tree) {
  const auto has = [&](std::string_view name) { return tree.find(name) != nullptr; };
  if (std::any_of(kOfPolicies.begin(), kOfPolicies.end(), has)) return RowForm::kPolicy;
  if (has("id") && !has("name") && !has("key_pattern")) return RowForm::kPolicy;
  const bool is_table = &language::form_of(tree, language::kRuleSpec) == &language::kTableRowSpec;
  return is_table ? RowForm::kTable : RowForm::kRule;
}

std::optional<std::string> text_in(const Node& tree, std::string_view name) {
  const Node* value = tree.find(name);
  return value != nullptr && value->kind == Kind::kString ? std::optional(value->text) : std::nullopt;
}

std::optional<double> number_in(const Node& tree, std::string_view name) {
  const Node* value = tree.find(name);
  return value != nullptr && value->kind == Kind::kNumber ? std::optional(value->number) : std::nullopt;
}

std::string definition_in(const Node& tree) {
  Node definition = documents::object_node({});
  for (const Member& member : tree.members) {
    if (!is_one_of(member.name, kNotInDefinition)) definition.members.push_back(member);
  }
  std::string text = documents::write_json(definition);
  text.pop_back();  // its line end
  return text;
}

Row row_in(const Node& tree) {
  Row row;
  const RowForm form = form_of_body(tree);
  row.description = text_in(tree, "description");
  const Node* is_active = tree.find("is_active");
  if (is_active != nullptr && is_active->kind == Kind::kBool) row.is_active = is_active->boolean;
  if (form == RowForm::kTable) {
    row.key_pattern = text_in(tree, "key_pattern").value_or("");
    row.scope = text_in(tree, "scope");
    row.rate_per_second = number_in(tree, "rate_per_second");
    row.burst_capacity = number_in(tree, "burst_capacity");
    row.plan = text_in(tree, "plan");
  } else {
    const std::string_view prefix = form == RowForm::kRule ? kRulePrefix : kPolicyPrefix;
    row.key_pattern = std::string(prefix) + text_in(tree, name_field_of(form)).value_or("");
    row.definition = definition_in(tree);
  }
  return row;
}

// Rows of these names are something else.
void refuse_reserved_pattern(const Node& tree, Faults& faults) {
  const Node* pattern = tree.find("key_pattern");
  if (pattern == nullptr || !(pattern->text.starts_with(kRulePrefix) || pattern->text.starts_with(kPolicyPrefix))) {
    return;
  }
  faults.add(pattern->position, Path(Path(), "key_pattern"),
             {"in a table, key_pattern must not begin with rule: or policy:, but is " + language::quote(pattern->text),
              "these begin the rows of rules with a name and of policies with an id"});
}

// Takes out what the database keeps.
std::optional<int64_t> take_kept(Node& tree, Faults& faults) {
  std::optional<int64_t> rule_id;
  if (const Node* id = tree.find("rule_id")) {
    const bool is_whole =
        id->kind == Kind::kNumber && id->number == std::floor(id->number) && id->number > 0 && id->number < 9e15;
    if (is_whole) {
      rule_id = static_cast<int64_t>(id->number);
    } else {
      faults.add(id->position, Path(Path(), "rule_id"),
                 {"rule_id must be a whole number above 0, but is " + language::found(*id), "leave it out"});
    }
  }
  std::erase_if(tree.members, [](const Member& member) { return is_one_of(member.name, kKeptByDatabase); });
  return rule_id;
}

}  // namespace

Node row_json(const Row& row) {
  Node json = documents::object_node({});
  add(json, "rule_id", integer_node(row.id));
  const RowForm form = form_of(row);
  Faults ignored("");
  auto tree = tree_of(row, Path(), ignored);
  if (form == RowForm::kTable) {
    for (Member& member : tree->members) {
      if (member.name != "plan" && member.name != "description") json.members.push_back(std::move(member));
    }
    add(json, "plan", text_or_null(row.plan));
    add(json, "description", text_or_null(row.description));
    if (row.definition) add(json, "definition", documents::string_node(*row.definition));
  } else if (tree) {
    for (Member& member : tree->members) json.members.push_back(std::move(member));
  } else {
    add(json, name_field_of(form), documents::string_node(row.key_pattern.substr(row.key_pattern.find(':') + 1)));
    add(json, "is_active", documents::bool_node(row.is_active));
    add(json, "definition", text_or_null(row.definition));
  }
  add(json, "version", integer_node(row.version));
  add(json, "created_at", documents::string_node(row.created_at));
  add(json, "updated_at", documents::string_node(row.updated_at));
  return json;
}

ReadBody read_row(std::string_view text, const std::string& file) {
  auto parsed = documents::read_json(text);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    return std::vector<Fault>{
        {file, fault->position.line, fault->position.column, "", language::printable(fault->message), ""}};
  }
  return read_row(std::get<Node>(std::move(parsed)), file);
}

ReadBody read_row(Node tree, const std::string& file) {
  Faults faults(file);
  RowBody body;
  if (tree.kind == Kind::kObject) {
    body.rule_id = take_kept(tree, faults);
    refuse_reserved_pattern(tree, faults);
    body.row = row_in(tree);
    body.tree = std::move(tree);
  } else {
    faults.add(tree.position, Path(),
               {"a rule or a policy is an object, but this is " + language::found(tree),
                "e.g. {\"key_pattern\": \"user:{user_id}\", \"rate_per_second\": 10, \"burst_capacity\": 50}"});
  }
  if (!faults.empty()) return faults.take();
  return body;
}

void merge_patch(Node& target, const Node& patch) {
  if (patch.kind != Kind::kObject) {
    target = patch;
    return;
  }
  if (target.kind != Kind::kObject) {
    target = documents::object_node({});
    target.position = patch.position;
  }
  for (const Member& member : patch.members) {
    const auto found = std::find_if(target.members.begin(), target.members.end(),
                                    [&](const Member& one) { return one.name == member.name; });
    if (member.value.kind == Kind::kNull) {
      if (found != target.members.end()) target.members.erase(found);
      continue;
    }
    Member& merged = found != target.members.end() ? *found : target.members.emplace_back();
    merged.name = member.name;
    merged.position = member.position;
    merge_patch(merged.value, member.value);
  }
}

void forget_positions(Node& tree) {
  tree.position = kNowhere;
  for (Node& item : tree.items) forget_positions(item);
  for (Member& member : tree.members) {
    member.position = kNowhere;
    forget_positions(member.value);
  }
}

}  // namespace sluice::rules
