#include "config/assign.h"
#include "config/help.h"
#include "config/table.h"

namespace sluice::config {
namespace {

constexpr const char* kIntroduction = R"(# Settings

This page is made from the table in `src/config/table.cc`; a test keeps both in step.

Every setting of `sluice serve` has one name, and three places where it may stand:

| `http.listen` as | looks like |
|---|---|
| a flag | `--http-listen 127.0.0.1:8080`, or `--http-listen=127.0.0.1:8080` |
| a variable | `SLUICE_HTTP_LISTEN=127.0.0.1:8080` |
| a line of the config file | `listen: 127.0.0.1:8080` within `http:` |

A flag wins over a variable, a variable over the file, the file over the default. The file is YAML or JSON, named by
`--config` or `SLUICE_CONFIG`. `sluice serve --print-config` prints one with every setting and where its value came from.

Settings are strict: what is not understood is refused, with where it stands, what was found and what was expected; all
faults are told in one run. That holds for variables too: one that begins with `SLUICE_` and is no setting is refused,
but for those that Kubernetes makes for a Service (`SLUICE_PORT`, `SLUICE_SERVICE_HOST` and the like).

Times are written `500ms`, `75s`, `10m`, `1h30m`; only `0` needs no unit. Bytes are written `65536`, `64k`, `64KiB`,
`256MiB`, `1GiB`; all units are powers of 1024. Paths in the file are relative to its folder, others to where the
server was started.

Secrets are never printed, and not taken from the command line. Each may stand in a file of its own instead:
`admin.token_file`, `--admin-token-file`, `SLUICE_ADMIN_TOKEN_FILE`.

What listens beyond this machine should ask for a token: without one, `http.listen` and `resp.listen` give a warning,
and `admin.listen` is refused.
)";

std::string type_text(const Spec& spec) {
  switch (spec.type()) {
    case Type::kAddresses: return "addresses";
    case Type::kPath: return "path";
    case Type::kBytes: return "bytes " + range_text(spec);
    case Type::kDuration: return "time " + range_text(spec);
    case Type::kInteger: return "number " + range_text(spec);
    case Type::kBoolean: return "true or false";
    case Type::kText: return "text";
    case Type::kSecret: return "secret";
    case Type::kSource: return "file or database";
    case Type::kSecrets: return "secrets: `name:token`, ...";
    case Type::kChoice: break;
  }
  std::string text;
  for (const std::string_view word : std::get<Choice>(spec.target).words) {
    text += (text.empty() ? "`" : ", `") + std::string(word) + "`";
  }
  return text;
}

std::string flags_text(const Spec& spec) {
  if (spec.is_secret()) return "`" + spec.flag() + "-file`";
  const std::string flag = "`" + spec.flag() + "`";
  return spec.short_flag.empty() ? flag : "`" + std::string(spec.short_flag) + "`, " + flag;
}

std::string row_of(const Spec& spec) {
  std::string row = "| `" + std::string(spec.name) + "` | " + type_text(spec) + " | ";
  row += spec.fallback.empty() ? "" : "`" + std::string(spec.fallback) + "`";
  row += " | " + std::string(spec.help) + ".";
  if (!spec.note.empty()) row += " " + std::string(spec.note);
  return row + "<br>" + flags_text(spec) + ", `" + spec.variable() + "` |\n";
}

}  // namespace

std::string settings_page() {
  std::string text = kIntroduction;
  std::string_view section = "none";
  for (const Spec& spec : table()) {
    if (spec.section() != section) {
      section = spec.section();
      text += "\n## " + std::string(section_help(section)) +
              "\n\n| Setting | Type | Default | What for |\n|---|---|---|---|\n";
    }
    text += row_of(spec);
  }
  return text;
}

}  // namespace sluice::config
