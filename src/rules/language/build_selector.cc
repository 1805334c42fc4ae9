#include "rules/language/build_selector.h"

#include <algorithm>
#include <utility>

#include "rules/language/fields.h"
#include "rules/language/spelling.h"
#include "rules/language/table.h"
#include "rules/path.h"

namespace sluice::rules::language {
namespace {

using documents::Kind;
using documents::Node;

std::optional<std::string> path_of(const Fields& fields, std::string_view name, const Path& path, Faults& faults) {
  const Node* value = fields.value(name);
  if (value == nullptr) return std::nullopt;
  auto spelt = spell_path(value->text);
  if (auto* problem = std::get_if<Problem>(&spelt)) {
    faults.add(value->position, Path(path, fields.member(name)->name), *std::move(problem));
    return std::nullopt;
  }
  return std::get<std::string>(std::move(spelt));
}

void add_methods(const Node& list, const Path& path, Faults& faults, Selector& selector) {
  for (size_t i = 0; i < list.items.size(); ++i) {
    const Node& item = list.items[i];
    if (item.kind != Kind::kString) continue;
    auto method = spell_method(item.text);
    if (auto* problem = std::get_if<Problem>(&method)) {
      faults.add(item.position, Path(path, i), *std::move(problem));
      continue;
    }
    auto& text = std::get<std::string>(method);
    if (std::find(selector.methods.begin(), selector.methods.end(), text) != selector.methods.end()) {
      faults.add(item.position, Path(path, i), {quote(text) + " is in methods twice", "leave one of them out"});
      continue;
    }
    selector.methods.push_back(std::move(text));
  }
}

void add_hosts(const Node& list, const Path& path, Faults& faults, Selector& selector) {
  for (size_t i = 0; i < list.items.size(); ++i) {
    const Node& item = list.items[i];
    if (item.kind != Kind::kString) continue;
    auto host = parse_host_pattern(item.text);
    if (auto* problem = std::get_if<Problem>(&host)) {
      faults.add(item.position, Path(path, i), *std::move(problem));
      continue;
    }
    auto& pattern = std::get<HostPattern>(host);
    const bool is_known = std::any_of(selector.hosts.begin(), selector.hosts.end(), [&](const HostPattern& other) {
      return other.name == pattern.name && other.is_wildcard == pattern.is_wildcard;
    });
    if (is_known) {
      faults.add(item.position, Path(path, i), {quote(item.text) + " is in hosts twice", "leave one of them out"});
      continue;
    }
    selector.hosts.push_back(std::move(pattern));
  }
}

// Prefixes of conditions are compared letter by letter, those of selectors by whole segments.
bool fits_path(const Selector& selector, const std::string& value, bool is_prefix) {
  if (selector.path && (is_prefix ? !selector.path->starts_with(value) : value != *selector.path)) return false;
  if (!selector.path_prefix) return true;
  return covers_path(*selector.path_prefix, value) || (is_prefix && selector.path_prefix->starts_with(value));
}

bool fits_host(const HostPattern& pattern, const std::string& host) {
  if (!pattern.is_wildcard) return host == pattern.name;
  return host.size() > pattern.name.size() + 1 && host.ends_with(pattern.name) &&
         host[host.size() - pattern.name.size() - 1] == '.';
}

bool any_value(const Condition& condition, const auto& fits) {
  return std::any_of(condition.values.begin(), condition.values.end(), [&](const auto& v) { return fits(v, false); }) ||
         std::any_of(condition.prefixes.begin(), condition.prefixes.end(),
                     [&](const auto& v) { return fits(v, true); });
}

}  // namespace

Selector build_selector(const Node& node, const Path& path, Faults& faults) {
  const Fields fields(node, kSelectorSpec);
  Selector selector;
  selector.path = path_of(fields, "path", path, faults);
  selector.path_prefix = path_of(fields, "pathPrefix", path, faults);
  if (const Node* methods = fields.value("methods")) add_methods(*methods, Path(path, "methods"), faults, selector);
  if (const Node* hosts = fields.value("hosts")) add_hosts(*hosts, Path(path, "hosts"), faults, selector);
  if (selector.path && selector.path_prefix && !covers_path(*selector.path_prefix, *selector.path)) {
    faults.add(fields.position("path"), Path(path, fields.member("path")->name),
               {"the path " + quote(*selector.path) + " is not below the prefix " + quote(*selector.path_prefix) +
                    ": no request would ever be both",
                "leave one of them out"});
  }
  return selector;
}

std::optional<Problem> contradiction(const Selector& selector, const Condition& condition) {
  switch (condition.source.kind) {
    case KeyKind::kPath: {
      const auto fits = [&](const std::string& value, bool is_prefix) { return fits_path(selector, value, is_prefix); };
      if (any_value(condition, fits)) return std::nullopt;
      return Problem{"no path that this condition names is one that the policy's selector lets through", ""};
    }
    case KeyKind::kMethod: {
      const auto fits = [&](const std::string& value, bool is_prefix) {
        return selector.methods.empty() ||
               std::any_of(selector.methods.begin(), selector.methods.end(),
                           [&](const auto& method) { return is_prefix ? method.starts_with(value) : method == value; });
      };
      if (any_value(condition, fits)) return std::nullopt;
      return Problem{"no method that this condition names is among those of the policy's selector", ""};
    }
    case KeyKind::kHost: {
      const auto fits = [&](const std::string& value, bool is_prefix) {
        // What stands before a wildcard may begin with anything.
        const auto fits_one = [&](const HostPattern& host) {
          return is_prefix ? host.is_wildcard || host.name.starts_with(value) : fits_host(host, value);
        };
        return selector.hosts.empty() || std::any_of(selector.hosts.begin(), selector.hosts.end(), fits_one);
      };
      if (any_value(condition, fits)) return std::nullopt;
      return Problem{"no host that this condition names is among those of the policy's selector", ""};
    }
    default: return std::nullopt;
  }
}

}  // namespace sluice::rules::language
