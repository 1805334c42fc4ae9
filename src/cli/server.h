// A server as `sluice serve` runs it: the engine, its doors on every event loop, and rules that follow their file.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/wiring.h"
#include "config/settings.h"
#include "net/server.h"
#include "net/tls.h"
#include "rules/file/file_identity.h"
#include "rules/language/source.h"
#include "telemetry/log.h"

namespace sluice::cli {

// For the thread that made it.
class Server {
 public:
  // Both must outlive it.
  Server(const config::Settings& settings, telemetry::Log& log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Nothing, or why it does not serve.
  std::optional<Failure> start();

  // Where a door is open, `http`, `resp` or `admin`; nowhere if it is off.
  std::vector<net::Endpoint> endpoints(const std::string& door) const;
  // `http://127.0.0.1:8080` of its first place; empty where it has none that a URL could name.
  std::string url(const std::string& door) const;

  // Whether it can be reached from other machines.
  bool reaches_beyond_loopback(const std::string& door) const;

  // Reads rules and certificate again.
  void reload();
  // From time to time: has the certificate changed, are violations kept?
  void look_around();
  // Lets requests under way end, for as long as the settings say. Whether all did.
  bool stop();

 private:
  struct Door;
  enum class Where : uint8_t { kLoops, kAlone };

  std::optional<Failure> load_rules();
  rules::SourceListener listener(const std::string& place);
  std::optional<Failure> prepare_tables();
  std::optional<Failure> load_certificate();
  std::optional<Failure> open_doors();
  void add_door(Door door, Where where);
  void reload_certificate();
  void tell_where() const;

  const config::Settings& settings_;
  telemetry::Log& log_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<net::TlsIdentity> identity_;
  std::vector<rules::FileIdentity> certificate_seen_;
  std::atomic<bool> has_started_{false};  // read by the thread of the rules' source
  bool has_rules_ = false;                // of that thread
  // Outlives the loops, one of which tells how it stands.
  std::unique_ptr<rules::Source> source_;

  net::ConnectionCap cap_;
  net::ConnectionCap admin_cap_;  // so that probes come in when the others are full
  std::vector<std::unique_ptr<Door>> doors_;
  // Doors that change nothing for those who are limited have a loop of their own.
  std::unique_ptr<net::Server> loops_;
  std::unique_ptr<net::Server> aside_;
};

}  // namespace sluice::cli
