#include "rules/language/rules_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sluice::rules {
namespace {

namespace fs = std::filesystem;
using Texts = std::variant<std::vector<RulesText>, std::string>;

constexpr const char* kEndings = ".json, .yaml or .yml";
// Each is watched, and a folder that has more is hardly one of rules.
constexpr size_t kMostFiles = 1'000;
// Files that change faster than they are read are taken as they are: whoever watches them reads them again.
constexpr int kMostReadings = 10;

RulesFiles troubled(std::string why) { return {true, {}, "the folder " + std::move(why)}; }

Texts read_once(const std::string& path) {
  const RulesFiles files = rules_files_at(path);
  if (!files.trouble.empty()) return files.trouble;
  const size_t most = documents::Bounds().bytes;
  std::vector<RulesText> texts;
  size_t bytes = 0;
  for (const std::string& file : files.paths) {
    texts.push_back({file, documents::read_file(file, most)});
    if (const auto* text = std::get_if<std::string>(&texts.back().content)) bytes += text->size();
    if (bytes > most) return "the files of the folder have more than " + std::to_string(most) + " bytes together";
  }
  return texts;
}

// No folder: it is opened once, and is what it was then.
bool is_one_file(const Texts& texts, const std::string& path) {
  const auto* files = std::get_if<std::vector<RulesText>>(&texts);
  return files != nullptr && files->size() == 1 && files->front().file == path;
}

}  // namespace

bool is_rules_file(std::string_view name) {
  if (name.starts_with('.')) return false;
  return name.ends_with(".json") || name.ends_with(".yaml") || name.ends_with(".yml");
}

RulesFiles rules_files_at(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {false, {path}, ""};
  std::vector<std::string> names;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code dangling;  // such a symlink counts: it is a fault that its file cannot be read
    const std::string name = entry->path().filename().string();
    if (!is_rules_file(name) || entry->is_directory(dangling)) continue;
    if (names.size() == kMostFiles) {
      return troubled("has more than " + std::to_string(kMostFiles) + " files that end in " + kEndings);
    }
    names.push_back(name);
  }
  if (error) return troubled("cannot be read: " + error.message());
  if (names.empty()) {
    return troubled("has no rules: no file in it ends in " + std::string(kEndings) +
                    ", and hidden files and folders in it do not count");
  }
  std::sort(names.begin(), names.end());
  RulesFiles files{true, {}, ""};
  for (const std::string& name : names) files.paths.push_back((fs::path(path) / name).string());
  return files;
}

// Two readings that agree have a moment between them at which all files were so, even if they are exchanged together.
Texts read_rules(const std::string& path) {
  Texts texts = read_once(path);
  for (int readings = 1; readings < kMostReadings; ++readings) {
    if (is_one_file(texts, path)) break;
    Texts again = read_once(path);
    if (again == texts) break;
    texts = std::move(again);
  }
  return texts;
}

}  // namespace sluice::rules
