#include "cli/demo.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>

#include "cli/command.h"
#include "documents/read_file.h"
#include "net/descriptor.h"
#include "rules/table/rules_file.h"

namespace sluice::cli {

namespace {

constexpr std::string_view kRules = R"({
  "policies": [
    {
      "id": "demo",
      "description": "Rules to try things on: small enough to be felt by hand.",
      "rules": [
        {
          "name": "per-user",
          "limit_keys": ["attr:user_id"],
          "on_missing_key": "skip",
          "algorithm_config": {"rps": 0.2, "burst": 5}
        },
        {
          "name": "per-key",
          "limit_keys": ["header:x-api-key"],
          "on_missing_key": "skip",
          "algorithm_config": {"rps": 0.5, "burst": 3}
        },
        {
          "name": "everybody",
          "limit_keys": [],
          "algorithm_config": {"rps": 100, "burst": 1000}
        }
      ]
    }
  ]
}
)";

Failure no_token(const std::filesystem::path& file, const std::string& why) {
  return {"sluice serve: " + file.string() + ": " + why, "set SLUICE_ADMIN_TOKEN, or another --data-dir", kFailed};
}

// Thirty-two digits that nobody guesses; empty where the system gives none.
std::string random_token() {
  std::array<uint8_t, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  std::string token;
  for (const uint8_t byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// In words of its own, a command that a person can paste.
class Guide {
 public:
  explicit Guide(std::string_view beginning) : text_(fmt::format("\n{} In another terminal:\n", beginning)) {}
  void add(std::string_view what, const std::string& line) { text_ += fmt::format("\n  {}\n    {}\n", what, line); }
  void more(const std::string& line) { text_ += fmt::format("    {}\n", line); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

constexpr std::string_view kHttpToken = "$SLUICE_HTTP_TOKEN";
constexpr std::string_view kRespToken = "$SLUICE_RESP_TOKEN";
constexpr std::string_view kAdminToken = "$SLUICE_ADMIN_TOKEN";

std::string bearer(std::string_view token) { return fmt::format("-H \"Authorization: Bearer {}\" ", token); }

// What stands before a URL of that door. A certificate is seldom made out to the address that a guide can name.
std::string options(const DemoManner& manner, std::string_view token) {
  return (manner.is_encrypted ? "-k " : "") + (manner.wants_token ? bearer(token) : "");
}

std::string admin_token(const DemoPlaces& places) {
  return places.token_file.empty() ? std::string(kAdminToken) : "$(cat " + places.token_file + ")";
}

// Changes of rules need the token of the admin door wherever that is.
bool shows_changes(const DemoPlaces& places) { return !places.database.empty() && !places.admin.empty(); }

// The other terminal knows no token unless it is told.
void add_tokens(Guide& guide, const DemoPlaces& places) {
  std::string settings;
  std::string line = "export";
  const auto add = [&](std::string_view token, std::string_view setting) {
    settings += fmt::format("{}{}", settings.empty() ? "" : ", ", setting);
    line += fmt::format(" {}=...", token.substr(1));
  };
  if (!places.http.empty() && places.http_manner.wants_token) add(kHttpToken, "http.token");
  if (!places.resp.host.empty() && places.resp_manner.wants_token) add(kRespToken, "resp.token");
  const bool asks_admin = shows_changes(places) || (!places.admin.empty() && places.admin_manner.wants_token);
  if (asks_admin && places.token_file.empty()) add(kAdminToken, "admin.token");
  if (settings.empty()) return;
  guide.add("The lines below need tokens. Where they are not set there, first, with those of " + settings + ":", line);
}

void add_throttle(Guide& guide, const DemoPlaces& places) {
  const DemoManner& manner = places.resp_manner;
  const std::string token = manner.wants_token ? fmt::format("REDISCLI_AUTH=\"{}\" ", kRespToken) : "";
  guide.add("The same from any Redis client: 5 at once, 60 a minute:",
            fmt::format("{}redis-cli {}-h {} -p {} CL.THROTTLE user:42 4 60 60", token,
                        manner.is_encrypted ? "--tls --insecure " : "", places.resp.host, places.resp.port));
}

void add_decisions(Guide& guide, const DemoPlaces& places) {
  const std::string http = options(places.http_manner, kHttpToken) + places.http;
  if (places.has_demo_rules) {
    guide.add("A user has 5 requests at once, then one every 5 seconds; the sixth is refused:",
              "for i in 1 2 3 4 5 6; do curl -si " + http +
                  "/v1/check -d '{\"request\": {\"attributes\": {\"user_id\": \"42\"}}}' | head -n 1; done");
  }
  guide.add("What a proxy asks about a request, and what its caller is told:",
            "curl -i " + http + "/v1/decision -H 'X-Api-Key: abc' -H 'X-Original-URI: /orders?page=2'");
  guide.add("A bucket that needs no rule:",
            "curl -i " + http + "/v1/check -d '{\"key\": \"job:7\", \"rate\": 10, \"burst\": 50, \"cost\": 1}'");
}

std::string remove_line(const std::string& rule, const std::string& where) {
  return program() + " rules remove " + rule + where;
}

constexpr std::array kAdded = {"endpoint:/search", "endpoint:/export", "endpoint:/login"};

// Three ways to the same table.
void add_changes(Guide& guide, const DemoPlaces& places) {
  if (!shows_changes(places)) return;
  const std::string where = " --rules " + places.rules;
  if (!places.added.empty()) {
    guide.add("What you added before is still there. Take it out, to add it anew:",
              remove_line(places.added[0], where));
    for (size_t i = 1; i < places.added.size(); ++i) guide.more(remove_line(places.added[i], where));
  }
  guide.add("Add rules while it runs: through the API, on the command line, or in SQL. They stay when it stops:",
            "curl " + options({places.admin_manner.is_encrypted, true}, admin_token(places)) + places.admin +
                "/admin/v1/rules -d '{\"key_pattern\": \"endpoint:/search\", \"rate_per_second\": 0.1, "
                "\"burst_capacity\": 1}'");
  guide.more(program() + " rules add endpoint:/export --rate 0.1 --burst 2" + where);
  guide.more("sqlite3 " + places.database +
             " \"INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity) VALUES"
             " ('endpoint:/login', 0.1, 3)\"");
  if (!places.http.empty()) {
    guide.add(
        "Each acts within a second: 1, 2 and 3 requests pass:",
        "for path in /search /export /login; do for i in 1 2 3 4; do curl -so /dev/null -w \"%{http_code} $path\\n\" " +
            options(places.http_manner, kHttpToken) + places.http +
            "/v1/decision -H \"X-Original-URI: $path\"; done; done");
  }
  guide.add("The rules, who changed them, and who was refused:", program() + " rules list" + where);
  guide.more(program() + " rules history" + where);
  guide.more(program() + " violations list --since 1h" + where);
}

}  // namespace

std::optional<std::string> fill_with_demo_rules(rules::RuleTable& table, const rules::TableName& name) {
  const auto latest = table.latest_change();
  if (!latest) return latest.fault().message;
  if (*latest > 0) return std::nullopt;
  const auto rows = rules::rows_of_file(kRules, "demo.json", rules::Format::kJson);
  const auto done = rules::import_file(table, name, "demo", std::get<rules::FileRows>(rows), rules::ImportMode::kMerge);
  if (const auto* fault = std::get_if<sql::Fault>(&done)) return fault->message;
  if (const auto* faulty = std::get_if<rules::Faulty>(&done)) return describe(faulty->faults.front());
  return std::nullopt;
}

bool has_demo_rules(rules::RuleTable& table) {
  const auto rows = table.list({.key_pattern = "policy:demo", .is_active = true});
  return rows && !rows->empty();
}

std::vector<std::string> demo_rules_added(rules::RuleTable& table) {
  std::vector<std::string> added;
  for (const char* const pattern : kAdded) {
    const auto rows = table.list({.key_pattern = pattern});
    if (rows && !rows->empty()) added.emplace_back(pattern);
  }
  return added;
}

std::variant<config::Secret, Failure> demo_token(const std::filesystem::path& file) {
  const net::Descriptor fresh(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (fresh) {
    const std::string token = random_token();
    const std::string line = token + "\n";
    const bool is_written = !token.empty() && write(fresh.get(), line.data(), line.size()) == ssize_t(line.size());
    if (!is_written) return no_token(file, "the token cannot be written");
    return config::Secret(token);
  }
  auto content = documents::read_file(file, 4096);
  if (const auto* unreadable = std::get_if<documents::Unreadable>(&content)) return no_token(file, unreadable->why);
  auto token = std::get<std::string>(std::move(content));
  documents::drop_line_end(token);
  if (token.empty()) return no_token(file, "the token is empty: remove the file");
  return config::Secret(token);
}

std::string demo_guide(const DemoPlaces& places) {
  Guide guide(places.has_demo_rules ? "Sluice is serving rules to try things on."
                                    : "Sluice is serving the rules of " + places.rules +
                                          ", which had some of its own. With rules to try things\non: " + program() +
                                          " serve --demo --data-dir FOLDER, a new one.");
  add_tokens(guide, places);
  if (!places.http.empty()) add_decisions(guide, places);
  if (!places.resp.host.empty()) add_throttle(guide, places);
  add_changes(guide, places);
  if (!places.admin.empty()) {
    const std::string admin = options(places.admin_manner, admin_token(places)) + places.admin;
    guide.add("Metrics, and why a request is decided as it is:", "curl " + admin + "/metrics");
    guide.more("curl " + admin + "/admin/v1/explain -d '{\"attributes\": {\"user_id\": \"42\"}}'");
  }
  return guide.take() + "\nCtrl-C stops it.\n";
}

}  // namespace sluice::cli
