#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/table/rules_file.h"

namespace sluice::rules {
namespace {

using documents::Member;
using documents::Node;

void sort_members(Node& node) {
  std::stable_sort(node.members.begin(), node.members.end(),
                   [](const Member& a, const Member& b) { return a.name < b.name; });
  for (Node& item : node.items) sort_members(item);
  for (Member& member : node.members) sort_members(member.value);
}

// A database may keep a definition in a spelling of its own.
bool are_the_same_json(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (a == b) return true;
  if (!a || !b) return false;
  auto one = documents::read_json(*a);
  auto other = documents::read_json(*b);
  if (!std::holds_alternative<Node>(one) || !std::holds_alternative<Node>(other)) return false;
  sort_members(std::get<Node>(one));
  sort_members(std::get<Node>(other));
  return documents::write_json(std::get<Node>(one)) == documents::write_json(std::get<Node>(other));
}

bool says_the_same(const Row& a, const Row& b) {
  return a.scope == b.scope && a.rate_per_second == b.rate_per_second && a.burst_capacity == b.burst_capacity &&
         a.is_active == b.is_active && a.description == b.description && are_the_same_json(a.definition, b.definition);
}

using RowName = std::pair<std::string, std::optional<std::string>>;

RowName name_of(const Row& row) { return {row.key_pattern, row.plan}; }

// What is to be done so that a table says what a file does.
class ImportPlan {
 public:
  ImportPlan(const Snapshot& before, const FileRows& file, ImportMode mode) : after_(before) {
    for (const Row& row : before.rows) there_.emplace(name_of(row), &row);
    if (mode == ImportMode::kReplace) {
      after_.rows.clear();
      after_.top_level.clear();
    }
    for (const Row& row : file.rows) place(row, mode);
    for (const auto& [name, row] : there_) {
      if (mode == ImportMode::kReplace && !kept_.contains(row->id)) removed_.push_back(row->id);
    }
    for (const auto& [field, value] : file.top_level) after_.top_level[field] = value;
    imported_.removed = removed_.size() - moved_;
  }

  const Snapshot& after() const { return after_; }
  const Imported& imported() const { return imported_; }

  // The old ones first: the new ones may have their names.
  sql::Outcome<sql::Done> write(TableEdit& edit, const TopLevel& before) const {
    for (const int64_t id : removed_) {
      if (auto done = edit.remove(id); !done) return done;
    }
    for (const Row& row : changed_) {
      if (auto done = edit.update(row); !done) return done.fault();
    }
    for (const Row& row : added_) {
      if (auto done = edit.insert(row); !done) return done.fault();
    }
    if (auto done = write_top_level(edit, before); !done) return done;
    return edit.commit();
  }

 private:
  void place(const Row& row, ImportMode mode) {
    const auto found = there_.find(name_of(row));
    const Row* const old = found == there_.end() ? nullptr : found->second;
    // Rows are asked by their numbers: one that would stand before its predecessor gets a new one.
    const bool is_in_order = mode == ImportMode::kMerge || (added_.empty() && old != nullptr && old->id > last_id_);
    if (old == nullptr || !is_in_order) {
      moved_ += old != nullptr;
      ++(old == nullptr ? imported_.added : says_the_same(*old, row) ? imported_.unchanged : imported_.changed);
      added_.push_back(row);
      after_.rows.push_back(row);
      return;
    }
    last_id_ = old->id;
    kept_.insert(old->id);
    Row updated = row;
    updated.id = old->id;
    const bool is_same = says_the_same(*old, row);
    ++(is_same ? imported_.unchanged : imported_.changed);
    if (!is_same) changed_.push_back(updated);
    if (mode == ImportMode::kReplace) return after_.rows.push_back(std::move(updated));
    for (Row& one : after_.rows) {
      if (one.id == old->id) one = updated;
    }
  }

  sql::Outcome<sql::Done> write_top_level(TableEdit& edit, const TopLevel& before) const {
    for (const auto& [field, value] : before) {
      if (after_.top_level.contains(field)) continue;
      if (auto done = edit.set_top_level(field, std::nullopt); !done) return done;
    }
    for (const auto& [field, value] : after_.top_level) {
      const auto old = before.find(field);
      if (old != before.end() && old->second == value) continue;
      if (auto done = edit.set_top_level(field, value); !done) return done;
    }
    return sql::Done{};
  }

  Snapshot after_;
  Imported imported_;
  std::map<RowName, const Row*> there_;
  std::set<int64_t> kept_;
  std::vector<int64_t> removed_;
  std::vector<Row> changed_;
  std::vector<Row> added_;
  int64_t last_id_ = 0;
  size_t moved_ = 0;
};

}  // namespace

ImportResult import_file(RuleTable& table, const TableName& name, const std::string& who, const FileRows& file,
                         ImportMode mode, const ExpectedChanges& expected) {
  auto edit = table.edit(who);
  if (!edit) return edit.fault();
  const auto before = (*edit)->snapshot();
  if (!before) return before.fault();
  if (expected && std::count(expected->begin(), expected->end(), before->change) == 0) {
    return Conflict{.change = before->change};
  }
  const ImportPlan plan(*before, file, mode);
  auto faults =
      mode == ImportMode::kReplace ? load_snapshot(plan.after(), name).faults : new_faults(*before, plan.after(), name);
  if (!faults.empty()) return Faulty{std::move(faults)};
  const auto written = plan.write(**edit, before->top_level);
  if (!written) return written.fault();
  return plan.imported();
}

}  // namespace sluice::rules
