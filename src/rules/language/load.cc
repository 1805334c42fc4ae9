#include "rules/language/load.h"

#include <utility>
#include <variant>

#include "rules/language/build_file.h"
#include "rules/language/faults.h"
#include "rules/language/rules_folder.h"

namespace sluice::rules {
namespace {

using language::Path;

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
    if (faults_.empty()) return {std::make_shared<const RuleSet>(std::move(rules)), {}};
    return {nullptr, faults_.take()};
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
