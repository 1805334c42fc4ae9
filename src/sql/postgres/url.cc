#include "sql/postgres/url.h"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>

namespace sluice::sql::postgres {
namespace {

constexpr const char* kForm =
    "postgres://user:password@host:5432/database, with @ / : ? % in a name or password as %40 %2F %3A %3F %25";

Fault unreadable(const std::string& why) {
  return {Trouble::kBroken, "the URL of PostgreSQL cannot be read: " + why, std::string("its form is ") + kForm};
}

std::string_view after_scheme(std::string_view url) { return url.substr(url.find("://") + 3); }

// A password with a bare @ or / would be taken for a host or a database, and shown as one in messages.
bool has_stray_at(std::string_view url) {
  const std::string_view rest = after_scheme(url);
  const std::string_view before_options = rest.substr(0, rest.find('?'));
  const size_t at = rest.find('@');
  if (at == std::string_view::npos) return false;
  return rest.find('/') < at || before_options.find('@', at + 1) != std::string_view::npos;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_port(const std::string& text) {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string value_or(const Target& target, const char* name, const char* otherwise) {
  const auto found = target.options.find(name);
  return found == target.options.end() || found->second.empty() ? otherwise : found->second;
}

std::string describe(const Target& target) {
  const std::string host = value_or(target, "host", value_or(target, "hostaddr", "localhost").c_str());
  return host + ":" + value_or(target, "port", "5432") + "/" + value_or(target, "dbname", "");
}

// The `index`th host of all, alone. A single port holds for all of them.
Target one_host(const std::map<std::string, std::string>& options, size_t index) {
  Target target{options, ""};
  for (const char* const name : {"host", "hostaddr", "port"}) {
    const auto found = target.options.find(name);
    if (found == target.options.end()) continue;
    const std::vector<std::string> parts = split(found->second);
    found->second = parts[std::min(index, parts.size() - 1)];
  }
  target.where = describe(target);
  return target;
}

Outcome<std::vector<Target>> targets_of(const std::map<std::string, std::string>& options) {
  size_t hosts = 1;
  for (const char* const name : {"host", "hostaddr"}) {
    if (const auto found = options.find(name); found != options.end()) {
      hosts = std::max(hosts, split(found->second).size());
    }
  }
  if (const auto found = options.find("port"); found != options.end()) {
    const std::vector<std::string> ports = split(found->second);
    if (!std::all_of(ports.begin(), ports.end(), is_port)) return unreadable("its port is no number");
    if (ports.size() != 1 && ports.size() != hosts) return unreadable("it has more ports than hosts, or fewer");
  }
  std::vector<Target> targets;
  for (size_t i = 0; i < hosts; ++i) targets.push_back(one_host(options, i));
  return targets;
}

}  // namespace

bool is_postgres_url(std::string_view text) {
  return text.starts_with("postgres://") || text.starts_with("postgresql://");
}

Outcome<std::vector<Target>> read_url(const std::string& url) {
  if (!is_postgres_url(url)) return unreadable("it does not begin with postgres://");
  if (has_stray_at(url)) return unreadable("it has an @ or a / where none belongs");
  char* words = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(PQconninfoParse(url.c_str(), &words),
                                                                              PQconninfoFree);
  // libpq's words may hold a part of the password.
  PQfreemem(words);
  if (parsed == nullptr) return unreadable("libpq does not know an option of it, or finds it malformed");
  std::map<std::string, std::string> options;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) options[option->keyword] = option->val;
  }
  return targets_of(options);
}

std::string describe_url(const std::string& url) {
  const Outcome<std::vector<Target>> targets = read_url(url);
  if (!targets) return "postgres://";
  std::string list;
  for (const Target& target : *targets) list += (list.empty() ? "postgres://" : ", postgres://") + target.where;
  return list;
}

}  // namespace sluice::sql::postgres
