#include "config/load.h"

#include <map>
#include <utility>

#include "config/assign.h"
#include "config/check.h"
#include "config/table.h"
#include "documents/wording.h"

namespace sluice::config {

std::string describe(const Fault& fault) {
  std::string text = fault.where + ": " + fault.message;
  if (!fault.hint.empty()) text += "\n  hint: " + fault.hint;
  return text;
}

namespace {

constexpr size_t kLargestSecret = 4 << 10;

// The last value for a setting that it is given is the one that holds: the lowest layer comes first.
class Loader {
 public:
  Loader() {
    loaded_.origins.resize(table().size());
    for (const Spec& spec : table()) {
      loaded_.origins[index_of(spec)].text = spec.fallback;
      if (spec.fallback.empty()) continue;
      if (auto problem = assign(spec, spec.fallback, settings_)) fail("default", spec, std::move(*problem));
    }
  }

  void set_data_dir(std::string_view state_directory) {
    const Spec& spec = *find_setting("data_dir");
    // systemd names several with colons between them.
    const std::string first(state_directory.substr(0, state_directory.find(':')));
    if (first.empty() || assign(spec, first, settings_)) return;
    loaded_.origins[index_of(spec)] = {Layer::kDefault, "STATE_DIRECTORY", first};
  }

  void apply(Layer layer, Reading reading) {
    std::map<const Spec*, const Given*> seen;
    for (auto& entry : reading.entries) {
      if (auto* fault = std::get_if<Fault>(&entry)) {
        add(std::move(*fault));
        continue;
      }
      const Given& given = std::get<Given>(entry);
      const auto [first, is_new] = seen.emplace(given.spec, &given);
      if (is_new) {
        apply_one(layer, given);
      } else {
        fail(given.where, *given.spec, {"is given twice, the first time at " + first->second->where, ""});
      }
    }
  }

  Loaded finish(Wish wish) {
    loaded_.wish = wish;
    if (loaded_.faults.empty()) check(settings_, loaded_);
    for (auto* list : {&loaded_.faults, &loaded_.warnings}) {
      for (Fault& fault : *list) {
        fault = {documents::printable(std::move(fault.where)), documents::printable(std::move(fault.message)),
                 documents::printable(std::move(fault.hint))};
      }
    }
    if (loaded_.faults.empty()) loaded_.settings = std::move(settings_);
    return std::move(loaded_);
  }

 private:
  void apply_one(Layer layer, const Given& given) {
    const Spec& spec = *given.spec;
    std::string text = given.text;
    if (given.is_secret_file && !read_secret(given, text)) return;
    if (auto problem = assign(spec, text, settings_)) {
      if (given.is_secret_file) problem->message += " (it stands in " + documents::quote(given.text) + ")";
      return fail(given.where, spec, std::move(*problem));
    }
    loaded_.origins[index_of(spec)] = {layer, given.where, shown(spec, given.folder, text)};
  }

  // What may be shown of a value; a relative path is taken from the folder.
  std::string shown(const Spec& spec, const std::filesystem::path& folder, const std::string& text) {
    if (spec.is_secret()) return "";
    if (const auto* member = std::get_if<MemberOf<std::filesystem::path>>(&spec.target)) {
      auto& path = *(*member)(settings_);
      if (!path.empty()) path = folder / path;
      return path.string();
    }
    if (const auto* member = std::get_if<MemberOf<Source>>(&spec.target)) {
      Source& source = *(*member)(settings_);
      if (!folder.empty()) source = source.from(folder);
      return source.text();
    }
    return text;
  }

  bool read_secret(const Given& given, std::string& text) {
    auto content = documents::read_file(given.folder / given.text, kLargestSecret);
    if (auto* unreadable = std::get_if<documents::Unreadable>(&content)) {
      fail(given.where, *given.spec,
           {"must stand in the file " + documents::quote(given.text) + ", but that cannot be read: " + unreadable->why,
            ""});
      return false;
    }
    text = std::get<std::string>(std::move(content));
    documents::drop_line_end(text);
    return true;
  }

  void fail(const std::string& where, const Spec& spec, Problem problem) {
    add({where, std::string(spec.name) + " " + problem.message, std::move(problem.hint)});
  }

  void add(Fault fault) { loaded_.faults.push_back(std::move(fault)); }

  Settings settings_;
  Loaded loaded_;
};

std::string_view value_of(std::span<const std::string> environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string_view(entry).substr(name.size() + 1);
    }
  }
  return "";
}

// The last of the readings that names a file wins.
std::string config_path(std::initializer_list<const Reading*> readings) {
  std::string path;
  for (const Reading* reading : readings) {
    for (const auto& entry : reading->entries) {
      const Given* given = std::get_if<Given>(&entry);
      if (given != nullptr && given->spec->name == "config") path = given->text;
    }
  }
  return path;
}

}  // namespace

Loaded load(const Surroundings& surroundings) {
  Reading flags = read_flags(surroundings.arguments);
  Reading environment = read_environment(surroundings.environment);
  const Wish wish = flags.wish;
  Loader loader;
  loader.set_data_dir(value_of(surroundings.environment, "STATE_DIRECTORY"));
  const std::string path = config_path({&environment, &flags});
  if (!path.empty()) loader.apply(Layer::kFile, read_settings_file(path));
  loader.apply(Layer::kEnvironment, std::move(environment));
  loader.apply(Layer::kFlag, std::move(flags));
  return loader.finish(wish);
}

Loaded load_defaults() { return load({}); }

Loaded load_text(std::string_view text, const std::string& file, documents::Format format) {
  Loader loader;
  loader.apply(Layer::kFile, read_settings_text(text, file, format));
  return loader.finish(Wish::kServe);
}

std::vector<std::string> copy_environment(const char* const* environment) {
  std::vector<std::string> copy;
  for (; environment != nullptr && *environment != nullptr; ++environment) copy.emplace_back(*environment);
  return copy;
}

}  // namespace sluice::config
