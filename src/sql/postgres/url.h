// Where a PostgreSQL is, as its URL says. No text here ever holds the password but what goes to libpq.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sql/outcome.h"

namespace sluice::sql::postgres {

// What libpq is told, by its own names of things. One for each host of the URL, to be tried in turn.
struct Target {
  std::map<std::string, std::string> options;
  std::string where;  // for people: db.example.com:5432/limits
};

bool is_postgres_url(std::string_view text);

// postgres://user:password@host:port/database?option=value, or postgresql://; several hosts with commas between.
// What is left out comes from where libpq takes it: PGHOST, PGPASSFILE, ...
Outcome<std::vector<Target>> read_url(const std::string& url);

// The URL for messages: without user, password and options.
std::string describe_url(const std::string& url);

}  // namespace sluice::sql::postgres
