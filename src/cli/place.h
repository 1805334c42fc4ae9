// Where commands find rules and violations: a database, or the admin door of a server.
#pragma once

#include <string>
#include <variant>

#include "cli/admin_client.h"
#include "cli/output.h"
#include "config/source.h"

namespace CLI {
class App;
}

namespace sluice::cli {

// As options say it.
struct Place {
  std::string rules;       // sqlite:FILE or postgres://...
  std::string data_dir;    // where the database is when nothing is said
  std::string admin;       // the URL of an admin door
  std::string token_file;  // for it; otherwise the environment has it
};

void add_place_options(CLI::App& app, Place& place);

// REQUIRES: place.admin is empty.
std::variant<config::Source, Failure> database_of(const Place& place);
// REQUIRES: it is not.
std::variant<AdminClient, Failure> admin_client(const Place& place);

}  // namespace sluice::cli
