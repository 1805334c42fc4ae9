#include "config/spec.h"

#include <algorithm>

#include "documents/wording.h"

namespace sluice::config {
namespace {

char in_variable(char c) {
  if (c == '.') return '_';
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace

std::string_view Spec::section() const {
  const size_t dot = name.find('.');
  return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

std::string Spec::flag() const {
  std::string flag = "--" + std::string(name);
  std::replace_if(
      flag.begin(), flag.end(), [](char c) { return c == '.' || c == '_'; }, '-');
  return flag;
}

std::string Spec::variable() const {
  std::string variable = "SLUICE_" + std::string(name);
  std::transform(variable.begin(), variable.end(), variable.begin(), in_variable);
  return variable;
}

std::string value_name(const Spec& spec) {
  switch (spec.type()) {
    case Type::kAddresses: return "ADDRESS";
    case Type::kPath: return "PATH";
    case Type::kBytes: return "BYTES";
    case Type::kDuration: return "TIME";
    case Type::kInteger: return "NUMBER";
    case Type::kBoolean: return "";
    case Type::kText: return "TEXT";
    case Type::kSecret: return "SECRET";
    case Type::kSource: return "SOURCE";
    case Type::kSecrets: return "NAME:SECRET,...";
    case Type::kChoice: break;
  }
  std::string words;
  for (const std::string_view word : std::get<Choice>(spec.target).words) {
    if (!words.empty()) words += '|';
    words += word;
  }
  return words;
}

}  // namespace sluice::config
