#include "rules/table/rules_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "documents/read_file.h"
#include "rules/language/build_policy.h"
#include "rules/language/faults.h"
#include "rules/table/row_json.h"
#include "rules/table/row_tree.h"

namespace sluice::rules {
namespace {

using documents::Kind;
using documents::Member;
using documents::Node;

bool is_json_number(const std::string& text) {
  const auto parsed = documents::read_json(text);
  const auto* node = std::get_if<Node>(&parsed);
  return node != nullptr && node->kind == Kind::kNumber;
}

// YAML writes numbers as JSON cannot: 010, .5, 0x1f. Values of conditions count as they are written; others as numbers.
void spell_as_json(Node& node, bool is_condition) {
  if (node.kind == Kind::kNumber && !is_json_number(node.text)) {
    if (is_condition) {
      node.kind = Kind::kString;
    } else {
      node.text = number_text(node.number);
    }
  }
  for (Node& item : node.items) spell_as_json(item, is_condition);
  for (Member& member : node.members) {
    spell_as_json(member.value, is_condition || member.name == "match" || member.name == "value");
  }
}

std::string json_text(const Node& node) {
  std::string text = documents::write_json(node);
  text.pop_back();  // its line end
  return text;
}

// Whether a policy is no more than the rules in it.
bool is_plain_default(const Node& policy) {
  const Node* id = policy.find("id");
  return id != nullptr && id->text == language::kDefaultPolicy && policy.members.size() == 2;
}

class RowsOfFile {
 public:
  explicit RowsOfFile(const std::string& file) : file_(file) {}

  std::variant<FileRows, std::vector<Fault>> read(Node root) {
    spell_as_json(root, false);
    for (Member& member : root.members) {
      if (member.name == "rules") {
        add_all(std::move(member.value));
      } else if (member.name == "policies") {
        for (Node& policy : member.value.items) add_policy(std::move(policy));
      } else if (member.name != "$schema") {
        rows_.top_level[member.name] = json_text(member.value);
      }
    }
    if (!faults_.empty()) return std::move(faults_);
    return std::move(rows_);
  }

 private:
  void add_policy(Node policy) {
    if (!is_plain_default(policy)) return add(std::move(policy));
    for (Member& member : policy.members) {
      if (member.name == "rules") add_all(std::move(member.value));
    }
  }

  void add_all(Node list) {
    for (Node& item : list.items) add(std::move(item));
  }

  void add(Node item) {
    auto read = read_row(std::move(item), file_);
    if (auto* body = std::get_if<RowBody>(&read)) {
      rows_.rows.push_back(std::move(body->row));
    } else {
      for (Fault& fault : std::get<std::vector<Fault>>(read)) faults_.push_back(std::move(fault));
    }
  }

  const std::string& file_;
  FileRows rows_;
  std::vector<Fault> faults_;
};

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

// What a file need not say.
void drop_defaults(Node& tree) {
  std::erase_if(tree.members, [](const Member& member) {
    return member.name == "is_active" && member.value.kind == Kind::kBool && member.value.boolean;
  });
}

Node policy_of(Node list, std::string_view id) {
  std::vector<Member> members;
  members.push_back({"id", {}, documents::string_node(id)});
  members.push_back({"rules", {}, std::move(list)});
  return documents::object_node(std::move(members));
}

}  // namespace

std::variant<FileRows, std::vector<Fault>> rows_of_file(std::string_view text, const std::string& file, Format format) {
  const Loaded loaded = load_text(text, file, format);
  if (loaded.rules == nullptr) return loaded.faults;
  return RowsOfFile(file).read(std::get<Node>(documents::read_document(text, format)));
}

std::variant<Imported, Faulty, sql::Fault> import_file(RuleTable& table, const TableName& name, const std::string& who,
                                                       const FileRows& file, ImportMode mode) {
  auto edit = table.edit(who);
  if (!edit) return edit.fault();
  const auto before = (*edit)->snapshot();
  if (!before) return before.fault();
  const ImportPlan plan(*before, file, mode);
  auto faults =
      mode == ImportMode::kReplace ? load_snapshot(plan.after(), name).faults : new_faults(*before, plan.after(), name);
  if (!faults.empty()) return Faulty{std::move(faults)};
  const auto written = plan.write(**edit, before->top_level);
  if (!written) return written.fault();
  return plan.imported();
}

std::variant<std::string, std::vector<Fault>> export_file(const Snapshot& snapshot, const TableName& name) {
  language::Faults faults(name.text);
  Node rules = documents::list_node({});
  Node policies = documents::list_node({});
  for (const Row& row : snapshot.rows) {
    const std::string label = label_of(row);
    auto tree = tree_of(row, language::Path::of_row(row.id, label), faults);
    if (!tree) continue;
    drop_defaults(*tree);
    (form_of(row) == RowForm::kPolicy ? policies : rules).items.push_back(*std::move(tree));
  }
  Node root = documents::object_node({});
  for (const auto& [field, text] : snapshot.top_level) {
    auto parsed = documents::read_json(text);
    if (auto* value = std::get_if<Node>(&parsed)) root.members.push_back({field, {}, std::move(*value)});
  }
  if (rules.items.empty() && policies.items.empty()) {
    faults.add({0, 0}, language::Path(), {"the table has no rules, but a file must have some", ""});
  }
  if (!faults.empty()) return faults.take();
  if (policies.items.empty()) {
    root.members.push_back({"rules", {}, std::move(rules)});
  } else {
    if (!rules.items.empty()) {
      policies.items.insert(policies.items.begin(), policy_of(std::move(rules), language::kDefaultPolicy));
    }
    root.members.push_back({"policies", {}, std::move(policies)});
  }
  return documents::write_json(root);
}

}  // namespace sluice::rules
