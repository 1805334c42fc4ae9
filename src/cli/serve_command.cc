#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "cli/command.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "cli/server.h"
#include "cli/wiring.h"
#include "config/help.h"
#include "config/load.h"
#include "net/supervisor.h"
#include "telemetry/log.h"

namespace sluice::cli {
namespace {

// The signals that a server is told things by. Blocked in all threads: they are waited for.
sigset_t told_by() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

int print(const std::string& text) {
  Output out;
  out.write(text);
  return out.finish();
}

telemetry::Log::Options log_options(const config::Settings& settings) {
  telemetry::Log::Options options;
  options.format = static_cast<telemetry::LogFormat>(settings.log.format);
  options.level = static_cast<telemetry::LogLevel>(settings.log.level);
  return options;
}

// For what outlives the process, where there is such. It may hold secrets.
std::optional<Failure> make_data_dir(const config::Settings& settings) {
  const bool is_needed = settings.demo || rules_of(settings).is_database() || !settings.violations.in.empty();
  if (!is_needed || mkdir(settings.data_dir.c_str(), 0700) == 0 || errno == EEXIST) return std::nullopt;
  return Failure{"sluice serve: the folder " + settings.data_dir.string() + " cannot be made: " + std::strerror(errno),
                 "--data-dir names another; its parent must be there", kFailed};
}

// Until it is told to stop: that signal.
int wait_for_the_end(Server& server) {
  const sigset_t set = told_by();
  for (;;) {
    const timespec a_second{1, 0};
    const int signal = sigtimedwait(&set, nullptr, &a_second);
    if (signal == SIGHUP) {
      server.reload();
    } else if (signal > 0) {
      return signal;
    } else {
      server.look_around();
    }
  }
}

int serve(const config::Loaded& loaded) {
  const sigset_t set = told_by();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  config::Settings settings = *loaded.settings;
  telemetry::Log log(log_options(settings));
  for (const config::Fault& warning : loaded.warnings) {
    log.warn(warning.message, {{"where", warning.where}, {"hint", warning.hint}});
  }
  if (const auto failure = make_data_dir(settings)) return fail(*failure);
  std::filesystem::path token_file;
  if (settings.demo && settings.admin.token.empty() && settings.admin.tokens.empty()) {
    token_file = settings.data_dir / "admin.token";
    auto token = demo_token(token_file);
    if (const auto* failure = std::get_if<Failure>(&token)) return fail(*failure);
    settings.admin.token = std::get<config::Secret>(std::move(token));
  }
  Server server(settings, log);
  if (const auto failure = server.start()) return fail(*failure);
  net::tell_supervisor("READY=1");
  if (settings.demo) {
    const auto resp = server.endpoints("resp");
    const config::Source rules = rules_of(settings);
    const bool is_sqlite = rules.kind == config::Source::Kind::kSqlite;
    DemoPlaces places{server.url("http"), resp.empty() ? net::Endpoint{} : resp.front(), server.url("admin"),
                      rules.text(),       is_sqlite ? rules.path.string() : "",          token_file.string()};
    places.http_manner = {settings.http.tls, !settings.http.token.empty()};
    places.resp_manner = {settings.resp.tls, !settings.resp.token.empty()};
    places.admin_manner = {settings.admin.tls, server.reaches_beyond_loopback("admin")};
    if (const auto table = open_rules(rules, OpenedFor::kCommand)) {
      places.has_demo_rules = has_demo_rules(**table);
      if (is_sqlite) places.added = demo_rules_added(**table);
    }
    print(demo_guide(places));
  }
  const int signal = wait_for_the_end(server);
  net::tell_supervisor("STOPPING=1");
  log.info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  // Who asks a second time does not want to wait; who asks to reload should not end it.
  sigset_t ending = set;
  sigdelset(&ending, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
  const bool all_ended = server.stop();
  if (!all_ended) log.warn("some connections did not end in time", {{"setting", "drain_timeout"}});
  log.info("stopped");
  return kSuccess;
}

int read_and_serve(const std::vector<std::string>& arguments) {
  const std::vector<std::string> environment = config::copy_environment(environ);
  const config::Loaded loaded = config::load({arguments, environment});
  if (loaded.wish == config::Wish::kHelp) return print(config::help_text());
  if (!loaded.faults.empty()) {
    for (const config::Fault& fault : loaded.faults) std::fprintf(stderr, "%s\n", describe(fault).c_str());
    return fail({"sluice serve: nothing is served until that is mended", "'sluice serve --help' lists all settings",
                 kBadUsage});
  }
  if (loaded.wish == config::Wish::kPrintConfig) return print(config::annotated_config(loaded));
  return serve(loaded);
}

}  // namespace

// All its flags are settings, and config reads them.
Action serve_command(CLI::App& app) {
  app.set_help_flag();
  app.prefix_command();
  return [&app] { return read_and_serve(app.remaining()); };
}

}  // namespace sluice::cli
