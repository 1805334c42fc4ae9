#include "config/table.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sluice::config {
namespace {

constexpr std::string_view kSpillDrops[] = {"oldest", "newest"};
constexpr std::string_view kLogFormats[] = {"text", "json"};
constexpr std::string_view kLogLevels[] = {"debug", "info", "warn", "error"};

constexpr int64_t kKiB = 1 << 10;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kTiB = int64_t{1} << 40;
constexpr int64_t kSecond = 1'000;
constexpr int64_t kDay = 86'400 * kSecond;

constexpr std::string_view kListenNote =
    "Several with commas between them: `host:port`, `[::1]:port`, `:port` (every address of the machine), "
    "`unix:/path`. Hosts are numeric, or `localhost`. Port 0 lets the system choose one. `off` closes the door.";
constexpr std::string_view kTokenNote =
    "Visible ASCII, no spaces. Not on the command line, where others on this machine could read it.";
constexpr std::string_view kTlsNote = "With the certificate of `tls.certificate`.";

constexpr Spec kTable[] = {
    {.name = "config",
     .target = +[](Settings& s) { return &s.config; },
     .fallback = "",
     .help = "A file with settings, YAML or JSON",
     .note =
         "What it says is overridden by the environment, and that by flags. Paths in it are relative to its folder.",
     .in_file = false},
    {.name = "rules",
     .target = +[](Settings& s) { return &s.rules; },
     .fallback = "",
     .help = "The rules: a file, a folder of files, `sqlite:FILE` or `postgres://...`",
     .note = "Of a folder, all files that end in `.json`, `.yaml` or `.yml`, as one set. Without any, they are in "
             "`sluice.db` in `data_dir`. A password is better kept in `~/.pgpass` than here."},
    {.name = "store",
     .target = +[](Settings& s) { return &s.store; },
     .fallback = "memory",
     .help = "Where buckets are remembered: `memory`, or the URL of a Redis that servers share",
     .note = "`redis://[[user]:password@]host[:port][/db]`, `redis+unix:///path`, "
             "`redis+sentinel://host:port,host:port/master`, `redis+cluster://host:port,host:port`; with `rediss` "
             "instead of `redis`, by TLS. A password is better kept in the environment (`SLUICE_STORE`) or in the file "
             "than on the command line."},
    {.name = "data_dir",
     .target = +[](Settings& s) { return &s.data_dir; },
     .fallback = "./sluice-data",
     .help = "The folder for what outlives the process",
     .note = "Under systemd its `STATE_DIRECTORY` is the default."},
    {.name = "demo",
     .target = +[](Settings& s) { return &s.demo; },
     .fallback = "false",
     .help = "Start with rules to try things on"},
    {.name = "loops",
     .target = +[](Settings& s) { return &s.loops; },
     .fallback = "0",
     .help = "How many threads serve; 0 is one for each core",
     .range = {0, 1'024}},
    {.name = "drain_timeout",
     .target = +[](Settings& s) { return &s.drain_timeout; },
     .fallback = "10s",
     .help = "How long requests under way may take when the server is told to stop",
     .range = {0, kDay}},

    {.name = "http.listen",
     .target = +[](Settings& s) { return &s.http.listen; },
     .fallback = "127.0.0.1:8080",
     .help = "Where HTTP is spoken",
     .note = kListenNote,
     .short_flag = "--http"},
    {.name = "http.token",
     .target = +[](Settings& s) { return &s.http.token; },
     .fallback = "",
     .help = "The bearer token that callers must send; without one, everybody may call",
     .note = kTokenNote},
    {.name = "http.tls",
     .target = +[](Settings& s) { return &s.http.tls; },
     .fallback = "false",
     .help = "Speak HTTPS only",
     .note = kTlsNote},
    {.name = "http.idle_timeout",
     .target = +[](Settings& s) { return &s.http.idle_timeout; },
     .fallback = "75s",
     .help = "When a connection that says nothing is closed; 0 is never",
     .range = {0, kDay}},
    {.name = "http.max_header_bytes",
     .target = +[](Settings& s) { return &s.http.max_header_bytes; },
     .fallback = "16KiB",
     .help = "The longest request line and headers together",
     .range = {kKiB, kMiB}},
    {.name = "http.max_body_bytes",
     .target = +[](Settings& s) { return &s.http.max_body_bytes; },
     .fallback = "1MiB",
     .help = "The longest body",
     .range = {kKiB, 256 * kMiB}},
    {.name = "http.max_batch",
     .target = +[](Settings& s) { return &s.http.max_batch; },
     .fallback = "1000",
     .help = "The most checks in one batch",
     .range = {1, 100'000}},
    {.name = "http.decision_status",
     .target = +[](Settings& s) { return &s.http.decision_status; },
     .fallback = "429",
     .help = "The status of a rejection at /v1/decision",
     .note = "nginx `auth_request` takes only 401 and 403 for a refusal: with it, set 403.",
     .range = {400, 599}},

    {.name = "resp.listen",
     .target = +[](Settings& s) { return &s.resp.listen; },
     .fallback = "127.0.0.1:6380",
     .help = "Where the Redis protocol is spoken",
     .note = kListenNote,
     .short_flag = "--resp"},
    {.name = "resp.token",
     .target = +[](Settings& s) { return &s.resp.token; },
     .fallback = "",
     .help = "The password for AUTH; without one, everybody may call",
     .note = kTokenNote},
    {.name = "resp.tls",
     .target = +[](Settings& s) { return &s.resp.tls; },
     .fallback = "false",
     .help = "Speak TLS only",
     .note = kTlsNote},
    {.name = "resp.idle_timeout",
     .target = +[](Settings& s) { return &s.resp.idle_timeout; },
     .fallback = "0",
     .help = "When a connection that says nothing is closed; 0 is never",
     .note = "Clients of this protocol keep their connections and expect them to stay.",
     .range = {0, kDay}},
    {.name = "resp.max_command_bytes",
     .target = +[](Settings& s) { return &s.resp.max_command_bytes; },
     .fallback = "1MiB",
     .help = "The longest command",
     .range = {kKiB, 256 * kMiB}},
    {.name = "resp.max_arguments",
     .target = +[](Settings& s) { return &s.resp.max_arguments; },
     .fallback = "1024",
     .help = "The most arguments of one command",
     .range = {16, 1'000'000}},

    {.name = "grpc.listen",
     .target = +[](Settings& s) { return &s.grpc.listen; },
     .fallback = "off",
     .help = "Where Envoy's gRPC is spoken; not built yet, so only off",
     .short_flag = "--grpc"},

    {.name = "admin.listen",
     .target = +[](Settings& s) { return &s.admin.listen; },
     .fallback = "127.0.0.1:8090",
     .help = "Where metrics, health and the admin API are served",
     .note = kListenNote,
     .short_flag = "--admin"},
    {.name = "admin.token",
     .target = +[](Settings& s) { return &s.admin.token; },
     .fallback = "",
     .help = "The bearer token for whatever changes state; beyond loopback, for all of it, and then it must be set",
     .note = kTokenNote},
    {.name = "admin.tokens",
     .target = +[](Settings& s) { return &s.admin.tokens; },
     .fallback = "",
     .help = "Further tokens with the names of their owners, who then stand in the history of the rules",
     .note =
         "Each is as good as admin.token, whose owner is called admin. Several are separated by commas; in a file of "
         "their own, by lines."},
    {.name = "admin.tls",
     .target = +[](Settings& s) { return &s.admin.tls; },
     .fallback = "false",
     .help = "Speak HTTPS only",
     .note = kTlsNote},

    {.name = "tls.certificate",
     .target = +[](Settings& s) { return &s.tls.certificate; },
     .fallback = "",
     .help = "The certificate and its chain, PEM"},
    {.name = "tls.key",
     .target = +[](Settings& s) { return &s.tls.key; },
     .fallback = "",
     .help = "The certificate's private key, PEM"},

    {.name = "connections.max",
     .target = +[](Settings& s) { return &s.connections.max; },
     .fallback = "10000",
     .help = "The most connections of the HTTP and RESP doors together",
     .note = "The admin door has room for 256 more. The limit on open files must be above it (`ulimit -n`, "
             "`LimitNOFILE=`).",
     .range = {1, 10'000'000}},
    {.name = "connections.message_timeout",
     .target = +[](Settings& s) { return &s.connections.message_timeout; },
     .fallback = "10s",
     .help = "How long a message that has begun may take to arrive",
     .range = {100, kDay}},
    {.name = "connections.write_timeout",
     .target = +[](Settings& s) { return &s.connections.write_timeout; },
     .fallback = "10s",
     .help = "How long a client may take none of its replies",
     .range = {100, kDay}},

    {.name = "memory.max_bytes",
     .target = +[](Settings& s) { return &s.memory.max_bytes; },
     .fallback = "256MiB",
     .help = "The most memory for buckets",
     .note = "When it is full, new keys share buckets; nobody's spent bucket is forgotten for it. Sliding windows have "
             "an eighth of it: 240,000 counters or 125,000 short logs in 256 MiB.",
     .range = {kMiB, kTiB}},
    {.name = "memory.huge_pages",
     .target = +[](Settings& s) { return &s.memory.huge_pages; },
     .fallback = "true",
     .help = "Ask the system for huge pages",
     .note = "Faster by far with many keys; off, no call waits for the system to clear one."},

    {.name = "redis.timeout",
     .target = +[](Settings& s) { return &s.redis.timeout; },
     .fallback = "20ms",
     .help = "How long a request waits for Redis, all in all, before its rules say what to do without it",
     .note = "Also how long connecting may take.",
     .range = {1, 10 * kSecond}},
    {.name = "redis.prefix",
     .target = +[](Settings& s) { return &s.redis.prefix; },
     .fallback = "sluice",
     .help = "What the names of buckets begin with in Redis",
     .note = "Servers with the same one share their buckets. No braces: a Cluster would read them."},
    {.name = "redis.deny_cache",
     .target = +[](Settings& s) { return &s.redis.deny_cache; },
     .fallback = "true",
     .help = "Whether what Redis is known to reject still is rejected without asking it"},
    {.name = "redis.ca",
     .target = +[](Settings& s) { return &s.redis.ca; },
     .fallback = "",
     .help = "Who may sign Redis's certificate, PEM; without it, those whom the system trusts"},

    {.name = "violations.record",
     .target = +[](Settings& s) { return &s.violations.record; },
     .fallback = "true",
     .help = "Keep who was refused what",
     .note = "Only where there is a database to keep it in."},
    {.name = "violations.in",
     .target = +[](Settings& s) { return &s.violations.in; },
     .fallback = "",
     .help = "The database they are kept in: `sqlite:FILE` or `postgres://...`",
     .note = "Without one, that of the rules. Where rules are in a file and this is not set, none are kept."},
    {.name = "violations.interval",
     .target = +[](Settings& s) { return &s.violations.interval; },
     .fallback = "1s",
     .help = "How often they are written",
     .note = "What one key is refused within that time is one row with a count; in a flood the time grows by itself.",
     .range = {100, 60 * kSecond}},
    {.name = "violations.keep",
     .target = +[](Settings& s) { return &s.violations.keep; },
     .fallback = "30d",
     .help = "How long they are kept; 0 is for ever",
     .range = {0, 3'660 * kDay}},
    {.name = "violations.max_rows",
     .target = +[](Settings& s) { return &s.violations.max_rows; },
     .fallback = "1000000",
     .help = "How many rows are kept, the newest; 0 is any number",
     .range = {0, 1'000'000'000'000}},
    {.name = "violations.max_spill_bytes",
     .target = +[](Settings& s) { return &s.violations.max_spill_bytes; },
     .fallback = "64MiB",
     .help = "How many wait in `data_dir` while the database is away",
     .note = "What is beyond it is dropped, and counted.",
     .range = {0, kTiB}},
    {.name = "violations.spill_drops",
     .target = Choice{kSpillDrops,
                      +[](Settings& s, size_t index) { s.violations.spill_drops = static_cast<SpillDrops>(index); }},
     .fallback = "oldest",
     .help = "Which of them are dropped"},

    {.name = "log.format",
     .target = Choice{kLogFormats, +[](Settings& s, size_t index) { s.log.format = static_cast<LogFormat>(index); }},
     .fallback = "text",
     .help = "How lines of the log look"},
    {.name = "log.level",
     .target = Choice{kLogLevels, +[](Settings& s, size_t index) { s.log.level = static_cast<LogLevel>(index); }},
     .fallback = "info",
     .help = "The least that is logged"},

    {.name = "top_keys.size",
     .target = +[](Settings& s) { return &s.top_keys.size; },
     .fallback = "1000",
     .help = "How many of the hottest and most rejected keys are watched; 0 watches none",
     .range = {0, 100'000}},
};

constexpr std::pair<std::string_view, std::string_view> kSections[] = {
    {"", "In general"},
    {"http", "The HTTP door"},
    {"resp", "The door for Redis clients"},
    {"grpc", "The gRPC door"},
    {"admin", "The admin door"},
    {"tls", "Encryption, for the doors that ask for it"},
    {"connections", "Connections"},
    {"memory", "The store in memory"},
    {"redis", "The store in Redis, where servers share one"},
    {"violations", "Who was refused what"},
    {"log", "The log, on stderr"},
    {"top_keys", "Keys to watch"},
};

}  // namespace

std::span<const Spec> table() { return kTable; }

std::string_view section_help(std::string_view section) {
  const auto* row = std::find_if(std::begin(kSections), std::end(kSections),
                                 [&](const auto& entry) { return entry.first == section; });
  assert(row != std::end(kSections));
  return row->second;
}

const Spec* find_setting(std::string_view name) {
  const auto* spec =
      std::find_if(std::begin(kTable), std::end(kTable), [&](const Spec& row) { return row.name == name; });
  return spec == std::end(kTable) ? nullptr : spec;
}

size_t index_of(const Spec& spec) { return static_cast<size_t>(&spec - kTable); }

}  // namespace sluice::config
