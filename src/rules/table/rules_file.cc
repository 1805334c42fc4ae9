#include "rules/table/rules_file.h"

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
