// Any text as the URL of a PostgreSQL is refused in a sentence, or says which hosts to try; and no password is in what
// people are told of it.
#include <stddef.h>
#include <stdint.h>

#include <string>

#include "sql/postgres/url.h"

namespace {

using sluice::sql::Outcome;
using sluice::sql::postgres::describe_url;
using sluice::sql::postgres::is_postgres_url;
using sluice::sql::postgres::read_url;
using sluice::sql::postgres::Target;

constexpr const char* kPassword = "hunter2";

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// All that may be shown.
std::string read(const std::string& url) {
  const Outcome<std::vector<Target>> targets = read_url(url);
  if (!targets) {
    require(!targets.fault().message.empty() && !targets.fault().hint.empty());
    require(describe_url(url) == "postgres://");
    return targets.fault().in_one_line();
  }
  require(is_postgres_url(url) && !targets->empty());
  std::string shown = describe_url(url);
  for (const Target& target : *targets) {
    require(shown.find(target.where) != std::string::npos);
    const auto port = target.options.find("port");
    if (port == target.options.end()) continue;
    require(port->second.size() <= 5 && port->second.find_first_not_of("0123456789") == std::string::npos);
  }
  return shown;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  read("postgres://" + text);
  if (text.find(kPassword) != std::string::npos) return 0;
  require(read("postgres://ann:" + std::string(kPassword) + "@" + text).find(kPassword) == std::string::npos);
  return 0;
}
