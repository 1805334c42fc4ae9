#include "cli/place.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "cli/command.h"
#include "config/source.h"
#include "documents/read_file.h"

namespace sluice::cli {
namespace {

constexpr size_t kLargestToken = 4 << 10;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void add_place_options(CLI::App& app, Place& place) {
  app.add_option("--rules", place.rules, "The database: sqlite:FILE or postgres://... (also SLUICE_RULES)")
      ->type_name("SOURCE");
  app.add_option("--data-dir", place.data_dir, "The folder of the database where none is named (./sluice-data)")
      ->type_name("FOLDER");
  app.add_option("--admin", place.admin, "Ask this server instead: http://127.0.0.1:8090")->type_name("URL");
  app.add_option("--token-file", place.token_file, "The file with its token (also SLUICE_ADMIN_TOKEN)")
      ->type_name("FILE");
}

std::variant<config::Source, Failure> database_of(const Place& place) {
  const std::string text = !place.rules.empty() ? place.rules : from_environment("SLUICE_RULES");
  const std::string folder = !place.data_dir.empty() ? place.data_dir : from_environment("SLUICE_DATA_DIR");
  if (text.empty()) return config::database_in(folder.empty() ? "./sluice-data" : folder);
  const auto source = config::parse_source(text);
  if (const auto* problem = std::get_if<config::Problem>(&source)) {
    return Failure{"sluice: --rules " + problem->message, problem->hint, kBadUsage};
  }
  if (std::get<config::Source>(source).is_database()) return std::get<config::Source>(source);
  std::error_code error;
  if (std::filesystem::is_directory(text, error)) {
    return Failure{"sluice: --rules must be a database, but is the folder " + text, "edit its files themselves",
                   kBadUsage};
  }
  return Failure{"sluice: --rules must be a database, but is the file " + text,
                 "edit that file itself, or put it into a database: sluice rules import " + text, kBadUsage};
}

std::variant<AdminClient, Failure> admin_client(const Place& place) {
  if (!place.admin.starts_with("http://") && !place.admin.starts_with("https://")) {
    return Failure{"sluice: --admin must be a URL, but is '" + place.admin + "'", "e.g. http://127.0.0.1:8090",
                   kBadUsage};
  }
  if (place.token_file.empty()) return AdminClient(place.admin, from_environment("SLUICE_ADMIN_TOKEN"));
  auto content = documents::read_file(place.token_file, kLargestToken);
  if (const auto* unreadable = std::get_if<documents::Unreadable>(&content)) {
    return Failure{"sluice: --token-file " + place.token_file + " cannot be read: " + unreadable->why, "", kBadUsage};
  }
  auto token = std::get<std::string>(std::move(content));
  documents::drop_line_end(token);
  return AdminClient(place.admin, token);
}

}  // namespace sluice::cli
