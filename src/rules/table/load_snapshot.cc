#include "rules/table/load_snapshot.h"

#include <deque>
#include <utility>
#include <variant>
#include <vector>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/language/build_file.h"
#include "rules/language/build_policy.h"
#include "rules/language/check.h"
#include "rules/language/faults.h"
#include "rules/table/row_tree.h"

namespace sluice::rules {
namespace {

using documents::Node;
using documents::Position;
using language::Faults;
using language::Path;
using language::Written;

constexpr Position kNowhere{0, 0};
constexpr std::string_view kTopLevel = "top level";

// Turns rows into trees, and remembers them in the order in which they stand.
class SnapshotLoader {
 public:
  SnapshotLoader(const Snapshot& snapshot, const TableName& name, const Draft& draft)
      : snapshot_(snapshot), name_(name), draft_(draft), faults_(name.text) {}

  Loaded load() {
    RuleSet rules = load_top_level();
    for (size_t place = 0; place < snapshot_.rows.size(); ++place) add(place);
    rules.policies = language::build_policies(rules_, policies_, faults_);
    if (!faults_.empty()) return {nullptr, faults_.take()};
    return {std::make_shared<const RuleSet>(std::move(rules)), {}};
  }

 private:
  RuleSet load_top_level() {
    Node root = documents::object_node({});
    root.position = kNowhere;
    const Path path = Path::of_row(0, kTopLevel);
    for (const auto& [field, text] : snapshot_.top_level) {
      const Path here(path, field);
      if (field == "policies" || field == "rules") {
        faults_.add(kNowhere, here, {field + " have rows of their own", "add them to rate_limit_rule"});
        continue;
      }
      auto parsed = documents::read_json(text);
      if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
        faults_.add(fault->position, here, {fault->message, "a top level's value is JSON"});
        continue;
      }
      root.members.push_back({field, kNowhere, std::get<Node>(std::move(parsed))});
    }
    return language::build_top_level(root, name_.folder, path, faults_);
  }

  void add(size_t place) {
    const Row& row = snapshot_.rows[place];
    const bool is_draft = draft_.tree != nullptr && place == draft_.place;
    const std::string& label = labels_.emplace_back(is_draft ? "" : label_of(row));
    const Path path = Path::of_row(row.id, label);
    if (!is_draft && row.id < 1 && !is_new(row)) refuse_number(path);
    const Node* tree = is_draft ? draft_.tree : made_tree(row, path);
    if (tree == nullptr) return;
    const RowForm form = form_of(row);
    language::check_object(*tree, spec_of(form), path, faults_);
    (form == RowForm::kPolicy ? policies_ : rules_).push_back({tree, path});
  }

  // A row written by hand before the database itself refused it. 0 would stand for a row that is new.
  void refuse_number(const Path& path) {
    faults_.add(
        kNowhere, Path(path, "rule_id"),
        {"rule_id must be above 0", "UPDATE rate_limit_rule SET rule_id = one that is free, or DELETE the row"});
  }

  const Node* made_tree(const Row& row, const Path& path) {
    auto tree = tree_of(row, path, faults_);
    return tree ? &trees_.emplace_back(*std::move(tree)) : nullptr;
  }

  const Snapshot& snapshot_;
  const TableName& name_;
  const Draft& draft_;
  Faults faults_;
  // Deques: paths and lists point into them.
  std::deque<std::string> labels_;
  std::deque<Node> trees_;
  std::vector<Written> rules_;
  std::vector<Written> policies_;
};

}  // namespace

Loaded load_snapshot(const Snapshot& snapshot, const TableName& name, const Draft& draft) {
  return SnapshotLoader(snapshot, name, draft).load();
}

}  // namespace sluice::rules
