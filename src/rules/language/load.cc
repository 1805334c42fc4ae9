#include "rules/language/load.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "rules/language/build_file.h"
#include "rules/language/build_policy.h"
#include "rules/language/faults.h"
#include "rules/language/rules_folder.h"

namespace sluice::rules {
namespace {

using documents::Kind;
using documents::Node;
using language::Path;

bool is_active(const Node& node) {
  const Node* const written = node.find("is_active");
  return written == nullptr || written->kind != Kind::kBool || written->boolean;
}

std::string text_of(const Node& object, const char* field) {
  const Node* const written = object.find(field);
  return written != nullptr ? written->text : std::string();
}

// Of a list of rules, those that are not active.
void add_rules(const Node* list, const std::string& policy, LeftOut& left_out) {
  if (list == nullptr) return;
  for (const Node& rule : list->items) {
    if (is_active(rule)) continue;
    const char* const named_by = rule.find("name") != nullptr ? "name" : "key_pattern";
    left_out.rules.push_back(policy + "/" + text_of(rule, named_by));
  }
}

// REQUIRES: nothing is wrong with the document.
void add_left_out(const Node& root, LeftOut& left_out) {
  add_rules(root.find("rules"), language::kDefaultPolicy, left_out);
  const Node* const policies = root.find("policies");
  if (policies == nullptr) return;
  for (const Node& policy : policies->items) {
    const std::string id = text_of(policy, "id");
    if (!is_active(policy)) {
      left_out.policies.push_back(id);
      continue;
    }
    add_rules(policy.find("rules"), id, left_out);
    const Node* const switches = policy.find("kill_switches");
    if (switches != nullptr && text_of(policy, "mode") == "shadow") left_out.kill_switches += switches->items.size();
  }
}

// Gathers the files of a set, and what is wrong with any of them.
class Loading {
 public:
  explicit Loading(const std::string& name) : faults_(name) {}

  void add(std::string_view text, const std::string& name, Format format) {
    auto parsed = documents::read_document(text, format);
    if (auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
      faults_.add(fault->position, Path::of_file(name), {std::move(fault->message), ""});
    } else {
      documents_.push_back({name, std::get<documents::Node>(std::move(parsed))});
    }
  }

  void refuse(const std::string& name, std::string why) {
    faults_.add({0, 0}, Path::of_file(name), {std::move(why), ""});
  }

  Loaded finish() {
    RuleSet rules = language::build_files(documents_, faults_);
    if (!faults_.empty()) return {nullptr, faults_.take()};
    LeftOut left_out;
    for (const language::Document& document : documents_) add_left_out(document.root, left_out);
    return {std::make_shared<const RuleSet>(std::move(rules)), {}, left_out};
  }

 private:
  language::Faults faults_;
  std::vector<language::Document> documents_;
};

}  // namespace

Loaded load_text(std::string_view text, const std::string& name, Format format) {
  Loading loading(name);
  loading.add(text, name, format);
  return loading.finish();
}

Loaded load_file(const std::string& path) {
  Loading loading(path);
  const auto read = read_rules(path);
  if (const auto* trouble = std::get_if<std::string>(&read)) {
    loading.refuse(path, *trouble);
    return loading.finish();
  }
  for (const auto& [file, content] : std::get<std::vector<RulesText>>(read)) {
    if (const auto* unreadable = std::get_if<documents::Unreadable>(&content)) {
      loading.refuse(file, "the file cannot be read: " + unreadable->why);
    } else {
      const auto& text = std::get<std::string>(content);
      loading.add(text, file, guess_format(file, text));
    }
  }
  return loading.finish();
}

}  // namespace sluice::rules
