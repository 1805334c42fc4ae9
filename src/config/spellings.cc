#include <algorithm>
#include <cctype>

#include "config/layers.h"
#include "config/table.h"
#include "documents/wording.h"

namespace sluice::config {
namespace {

using Spell = std::string (*)(const Spec&);

std::vector<Spelling> spell_all(Spell spell, std::string_view file_end) {
  std::vector<Spelling> spellings;
  for (const Spec& spec : table()) {
    spellings.push_back({spell(spec), &spec});
    if (spec.is_secret()) spellings.push_back({spell(spec) + std::string(file_end), &spec, true});
  }
  return spellings;
}

std::vector<Spelling> spell_flags() {
  auto spellings = spell_all([](const Spec& spec) { return spec.flag(); }, "-file");
  for (const Spec& spec : table()) {
    if (!spec.short_flag.empty()) spellings.push_back({std::string(spec.short_flag), &spec});
  }
  return spellings;
}

std::vector<Spelling> spell_file() {
  auto spellings = spell_all([](const Spec& spec) { return std::string(spec.name); }, "_file");
  std::erase_if(spellings, [](const Spelling& spelling) { return !spelling.spec->in_file; });
  return spellings;
}

bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return (is_separator(x) && is_separator(y)) ||
           std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

// Others call the place where a door listens its port, address or host.
const Spelling* find_listen(std::span<const Spelling> spellings, std::string_view name) {
  size_t end = name.size();
  while (end > 0 && !is_separator(name[end - 1])) --end;
  const std::string_view last = name.substr(end);
  const bool is_place =
      same(last, "port") || same(last, "address") || same(last, "addr") || same(last, "host") || same(last, "bind");
  if (!is_place) return nullptr;
  const std::string meant = std::string(name.substr(0, end)) + "listen";
  const auto found =
      std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& row) { return same(row.name, meant); });
  return found == spellings.end() ? nullptr : &*found;
}

// What all names of a layer begin with would make any two of them look alike.
std::string_view without_start(std::string_view name) {
  for (const std::string_view start : {"SLUICE_", "--"}) {
    if (name.starts_with(start)) return name.substr(start.size());
  }
  return name;
}

}  // namespace

std::span<const Spelling> flag_spellings() {
  static const std::vector<Spelling> kSpellings = spell_flags();
  return kSpellings;
}

std::span<const Spelling> variable_spellings() {
  static const auto kSpellings = spell_all([](const Spec& spec) { return spec.variable(); }, "_FILE");
  return kSpellings;
}

std::span<const Spelling> file_spellings() {
  static const std::vector<Spelling> kSpellings = spell_file();
  return kSpellings;
}

const Spelling* find_spelling(std::span<const Spelling> spellings, std::string_view name) {
  const auto found =
      std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& row) { return row.name == name; });
  return found == spellings.end() ? nullptr : &*found;
}

std::string hint_for_unknown(std::span<const Spelling> spellings, std::string_view name, std::string otherwise) {
  const Spelling* meant = find_listen(spellings, name);
  std::vector<std::string_view> names;
  for (const Spelling& spelling : spellings) names.push_back(without_start(spelling.name));
  const auto near = documents::nearest(without_start(name), names);
  for (size_t i = 0; meant == nullptr && near && i < names.size(); ++i) {
    if (names[i].data() == near->data()) meant = &spellings[i];
  }
  return meant != nullptr ? "did you mean " + documents::quote(meant->name) + "?" : std::move(otherwise);
}

}  // namespace sluice::config
