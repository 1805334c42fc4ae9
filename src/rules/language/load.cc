#include "rules/language/load.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "rules/language/build_file.h"
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

size_t count_not_active(const Node* list) {
  if (list == nullptr) return 0;
  return static_cast<size_t>(
      std::count_if(list->items.begin(), list->items.end(), [](const Node& item) { return !is_active(item); }));
}

// REQUIRES: nothing is wrong with the document.
void count_left_out(const Node& root, LeftOut& left_out) {
  left_out.rules += count_not_active(root.find("rules"));
  const Node* const policies = root.find("policies");
  if (policies == nullptr) return;
  left_out.policies += count_not_active(policies);
  for (const Node& policy : policies->items) {
    if (!is_active(policy)) continue;
    left_out.rules += count_not_active(policy.find("rules"));
    const Node* const mode = policy.find("mode");
    const Node* const switches = policy.find("kill_switches");
    if (mode != nullptr && mode->text == "shadow" && switches != nullptr) {
      left_out.kill_switches += switches->items.size();
    }
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
    for (const language::Document& document : documents_) count_left_out(document.root, left_out);
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
