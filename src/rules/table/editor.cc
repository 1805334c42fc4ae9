#include "rules/table/editor.h"

#include <algorithm>
#include <set>
#include <utility>

#include "documents/json_reader.h"
#include "rules/language/faults.h"

namespace sluice::rules {
namespace {

using documents::Node;

constexpr int kMostTries = 5;

// An edit that has begun, and what it found.
struct Begun {
  std::unique_ptr<TableEdit> edit;
  Snapshot snapshot;
};

sql::Outcome<Begun> begin(RuleTable& table, const std::string& who) {
  auto edit = table.edit(who);
  if (!edit) return edit.fault();
  auto snapshot = (*edit)->snapshot();
  if (!snapshot) return snapshot.fault();
  return Begun{std::move(*edit), std::move(*snapshot)};
}

Row* row_of(Snapshot& snapshot, int64_t id) {
  const auto found =
      std::find_if(snapshot.rows.begin(), snapshot.rows.end(), [&](const Row& row) { return row.id == id; });
  return found == snapshot.rows.end() ? nullptr : &*found;
}

const Row* row_named(const Snapshot& snapshot, const Row& like) {
  const auto found = std::find_if(snapshot.rows.begin(), snapshot.rows.end(), [&](const Row& row) {
    return row.key_pattern == like.key_pattern && row.plan == like.plan;
  });
  return found == snapshot.rows.end() ? nullptr : &*found;
}

Faulty one_fault(const TableName& name, documents::Position position, std::string field, language::Problem problem) {
  return {{Fault{name.text, position.line, position.column, std::move(field), language::printable(problem.message),
                 language::printable(problem.hint)}}};
}

// The text that was sent speaks of another row.
std::optional<Faulty> wrong_row(const TableName& name, const RowBody& body, std::optional<int64_t> id) {
  if (!body.rule_id || body.rule_id == id) return std::nullopt;
  const std::string sent = std::to_string(*body.rule_id);
  if (!id) {
    return one_fault(name, {0, 0}, "rule_id",
                     {"a new row's rule_id is the database's to choose, but is " + sent, "leave it out"});
  }
  return one_fault(name, {0, 0}, "rule_id",
                   {"rule_id must be " + std::to_string(*id) + ", that of the row to be changed, but is " + sent, ""});
}

bool has_twice(const Node& node) {
  std::set<std::string_view> names;
  for (const documents::Member& member : node.members) {
    if (!names.insert(member.name).second || has_twice(member.value)) return true;
  }
  return false;
}

}  // namespace

std::vector<Fault> new_faults(const Snapshot& before, const Snapshot& after, const TableName& name,
                              const Draft& draft) {
  std::vector<Fault> now = load_snapshot(after, name, draft).faults;
  if (now.empty()) return now;
  const std::vector<Fault> old = load_snapshot(before, name).faults;
  const int64_t draft_id = draft.tree == nullptr ? 0 : after.rows[draft.place].id;
  // By place: what is wrong there may now be told in other words.
  std::set<std::pair<int64_t, std::string>> known;
  for (const Fault& fault : old) known.emplace(fault.row_id, fault.field);
  // Of more faults than are listed, those that were not cannot be told from new ones.
  const bool is_complete = old.size() <= language::Faults::kMostFaults;
  std::erase_if(now, [&](const Fault& fault) {
    const bool was_known = known.contains({fault.row_id, fault.field});
    // A row that is new shares the number 0 with the top level.
    if (draft.tree != nullptr && fault.row_id == draft_id) return draft_id == 0 && was_known;
    return was_known || !is_complete;
  });
  return now;
}

EditResult Editor::create(std::string_view text) {
  auto read = read_row(text, name_.text);
  if (auto* faults = std::get_if<std::vector<Fault>>(&read)) return Faulty{std::move(*faults)};
  return put(std::nullopt, std::get<RowBody>(read), std::nullopt);
}

EditResult Editor::replace(int64_t id, std::string_view text, Expected expected) {
  auto read = read_row(text, name_.text);
  if (auto* faults = std::get_if<std::vector<Fault>>(&read)) return Faulty{std::move(*faults)};
  return put(id, std::get<RowBody>(read), expected);
}

EditResult Editor::validate(std::string_view text, std::optional<int64_t> id) {
  auto read = read_row(text, name_.text);
  if (auto* faults = std::get_if<std::vector<Fault>>(&read)) return Faulty{std::move(*faults)};
  const auto snapshot = table_.snapshot();
  if (!snapshot) return snapshot.fault();
  return check(*snapshot, id, std::get<RowBody>(read), std::nullopt);
}

EditResult Editor::patch(int64_t id, std::string_view text, Expected expected) {
  auto parsed = documents::read_json(text);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    return one_fault(name_, fault->position, "", {fault->message, ""});
  }
  const Node& changes = std::get<Node>(parsed);
  if (changes.kind != documents::Kind::kObject || has_twice(changes)) {
    return one_fault(name_, changes.position, "",
                     {"a patch is an object of the members that change, each of them once", "null takes one out"});
  }
  EditResult result = merge(id, changes, expected);
  // Who takes any version is not to be bothered with a change in between.
  for (int tries = 1; tries < kMostTries && !expected && std::holds_alternative<Conflict>(result); ++tries) {
    result = merge(id, changes, expected);
  }
  return result;
}

EditResult Editor::merge(int64_t id, const Node& changes, Expected expected) {
  auto found = table_.find(id);
  if (!found) return found.fault();
  if (!*found) return NotThere{};
  const Row& current = **found;
  if (expected && *expected != current.version) return Conflict{current, {}};
  Node tree = row_json(current);
  forget_positions(tree);
  merge_patch(tree, changes);
  auto read = read_row(std::move(tree), name_.text);
  if (auto* faults = std::get_if<std::vector<Fault>>(&read)) return Faulty{std::move(*faults)};
  // The edit then finds the very row that was merged with, or says that it is another by now.
  return put(id, std::get<RowBody>(read), current.version);
}

EditResult Editor::put(std::optional<int64_t> id, const RowBody& body, Expected expected) {
  auto begun = begin(table_, who_);
  if (!begun) return begun.fault();
  EditResult checked = check(begun->snapshot, id, body, expected);
  if (!std::holds_alternative<Edited>(checked)) return checked;
  const Row& row = *std::get<Edited>(checked).row;
  auto written = id ? begun->edit->update(row) : begun->edit->insert(row);
  if (!written) return written.fault();
  if (auto committed = begun->edit->commit(); !committed) return committed.fault();
  return Edited{std::move(*written)};
}

EditResult Editor::check(const Snapshot& before, std::optional<int64_t> id, const RowBody& body,
                         Expected expected) const {
  if (auto wrong = wrong_row(name_, body, id)) return *std::move(wrong);
  Row row = body.row;
  row.id = id.value_or(0);
  Snapshot after = before;
  Row* current = id ? row_of(after, *id) : nullptr;
  if (id && current == nullptr) return NotThere{};
  if (current != nullptr && expected && *expected != current->version) return Conflict{*current, {}};
  const Row* namesake = row_named(before, row);
  if (namesake != nullptr && namesake->id != id) return Taken{*namesake};
  if (current != nullptr) {
    row.version = current->version;
    row.created_at = current->created_at;
    row.updated_at = current->updated_at;
    *current = row;
  } else {
    after.rows.push_back(row);
  }
  const Row& draft = current == nullptr ? after.rows.back() : *current;
  auto faults = new_faults(before, after, name_, {static_cast<size_t>(&draft - after.rows.data()), &body.tree});
  if (!faults.empty()) return Faulty{std::move(faults)};
  return Edited{std::move(row)};
}

EditResult Editor::remove(int64_t id, Expected expected) {
  auto begun = begin(table_, who_);
  if (!begun) return begun.fault();
  const Row* current = row_of(begun->snapshot, id);
  if (current == nullptr) return NotThere{};
  if (expected && *expected != current->version) return Conflict{*current, {}};
  Snapshot after = begun->snapshot;
  std::erase_if(after.rows, [&](const Row& row) { return row.id == id; });
  auto faults = new_faults(begun->snapshot, after, name_);
  if (!faults.empty()) return Faulty{std::move(faults)};
  if (auto removed = begun->edit->remove(id); !removed) return removed.fault();
  if (auto committed = begun->edit->commit(); !committed) return committed.fault();
  return Edited{};
}

EditResult Editor::set_top_level(const std::string& field, std::string_view value,
                                 const std::optional<std::string>& expected) {
  return change_top_level(field, std::string(value), expected);
}

EditResult Editor::remove_top_level(const std::string& field, const std::optional<std::string>& expected) {
  return change_top_level(field, std::nullopt, expected);
}

EditResult Editor::change_top_level(const std::string& field, const std::optional<std::string>& value,
                                    const std::optional<std::string>& expected) {
  auto begun = begin(table_, who_);
  if (!begun) return begun.fault();
  const auto current = begun->snapshot.top_level.find(field);
  const bool is_there = current != begun->snapshot.top_level.end();
  const std::string text = is_there ? current->second : "";
  if (expected && *expected != text) return Conflict{{}, is_there ? std::optional(text) : std::nullopt};
  if (!value && !is_there) return NotThere{};
  // Compared with a table that lacks it: whatever is wrong with the new value counts, also where the old one was.
  Snapshot before = std::move(begun->snapshot);
  before.top_level.erase(field);
  Snapshot after = before;
  if (value) after.top_level[field] = *value;
  auto faults = new_faults(before, after, name_);
  if (!faults.empty()) return Faulty{std::move(faults)};
  if (auto set = begun->edit->set_top_level(field, value); !set) return set.fault();
  if (auto committed = begun->edit->commit(); !committed) return committed.fault();
  return Edited{};
}

}  // namespace sluice::rules
