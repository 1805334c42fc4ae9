#include "config/check.h"

#include <algorithm>
#include <utility>

#include "config/table.h"
#include "documents/wording.h"
#include "redis/place.h"

namespace sluice::config {
namespace {

struct Door {
  std::string name;
  const Addresses& listen;
  bool tls = false;
  const Secret* token = nullptr;
};

bool is_of_family_six(const Address& address) { return address.host.find(':') != std::string::npos; }

// Whether who listens at `all` listens at `one` too. All addresses of the newer kind are those of the older, too.
bool is_within(const Address& one, const Address& all) {
  if (all.host.empty() || all.host == "::") return true;
  return all.host == "0.0.0.0" && !is_of_family_six(one);
}

bool collide(const Address& a, const Address& b) {
  if (a == b) return a.is_local_socket() || a.port != 0;
  if (a.is_local_socket() || b.is_local_socket() || a.port != b.port || a.port == 0) return false;
  return is_within(a, b) || is_within(b, a);
}

class Check {
 public:
  Check(const Settings& settings, Loaded& loaded) : settings_(settings), loaded_(loaded) {}

  void run() {
    const Door doors[] = {
        {"http", settings_.http.listen, settings_.http.tls, &settings_.http.token},
        {"resp", settings_.resp.listen, settings_.resp.tls, &settings_.resp.token},
        {"grpc", settings_.grpc.listen},
        {"admin", settings_.admin.listen, settings_.admin.tls, &settings_.admin.token},
    };
    store();
    demo();
    violations();
    tls_pair();
    for (const Door& door : doors) {
      exposure(door);
      if (door.tls && settings_.tls.certificate.empty()) {
        fail(door.name + ".tls", "needs a certificate", "set tls.certificate and tls.key");
      }
    }
    for (size_t i = 0; i < std::size(doors); ++i) {
      for (size_t j = 0; j < i; ++j) overlap(doors[j], doors[i]);
    }
    if (!settings_.grpc.listen.empty()) fail("grpc.listen", "must be off: gRPC is not built yet", "");
  }

 private:
  void store() {
    const std::string& prefix = settings_.redis.prefix;
    if (prefix.empty() || prefix.find_first_of("{}") != prefix.npos) {
      fail("redis.prefix", "must have one character at least and no braces, but is " + documents::quote(prefix), "");
    }
    if (settings_.store == "memory") return;
    if (!redis::is_place(settings_.store)) {
      return fail("store",
                  "must be memory or the URL of a Redis, but is " + documents::quote(without_password(settings_.store)),
                  "redis://127.0.0.1:6379, say");
    }
    const auto place = redis::read_place(settings_.store);
    if (const auto* why = std::get_if<std::string>(&place)) fail("store", "cannot be used: " + *why, "");
  }

  void demo() {
    if (!settings_.demo || settings_.rules.kind != Source::Kind::kFile) return;
    fail("demo", "brings rules of its own, and rules is " + documents::quote(settings_.rules.text()),
         "leave out one of them");
  }

  void violations() {
    const Source& in = settings_.violations.in;
    if (in.kind != Source::Kind::kFile) return;
    fail("violations.in", "must be a database, but is " + documents::quote(in.text()), "sqlite:FILE or postgres://...");
  }

  void tls_pair() {
    const bool has_certificate = !settings_.tls.certificate.empty();
    const bool has_key = !settings_.tls.key.empty();
    if (has_certificate && !has_key) fail("tls.certificate", "needs its private key", "set tls.key");
    if (has_key && !has_certificate) fail("tls.key", "needs its certificate", "set tls.certificate");
  }

  void exposure(const Door& door) {
    if (door.token == nullptr || !door.token->empty()) return;
    if (door.name == "admin" && !settings_.admin.tokens.empty()) return;
    const auto open =
        std::find_if(door.listen.begin(), door.listen.end(), [](const Address& a) { return !a.is_loopback(); });
    if (open == door.listen.end()) return;
    const std::string setting = door.name + ".listen";
    if (door.name == "admin") {
      return fail(setting, "reaches beyond this machine with " + documents::quote(open->text()) + ", and needs a token",
                  "set SLUICE_ADMIN_TOKEN or --admin-token-file, or listen on 127.0.0.1");
    }
    add(loaded_.warnings, setting,
        "reaches beyond this machine with " + documents::quote(open->text()) + ", and asks for no token",
        "set " + door.name + ".token unless a network policy keeps others out");
  }

  void overlap(const Door& first, const Door& second) {
    for (const Address& address : second.listen) {
      const auto other = std::find_if(first.listen.begin(), first.listen.end(),
                                      [&](const Address& theirs) { return collide(address, theirs); });
      if (other == first.listen.end()) continue;
      const std::string listen = first.name + ".listen";
      const std::string same = " is that of " + listen;
      const std::string partly = " has its port in common with " + documents::quote(other->text()) + " of " + listen;
      fail(second.name + ".listen",
           "must have an address of its own, but " + documents::quote(address.text()) +
               (*other == address ? same : partly),
           "");
    }
  }

  void fail(const std::string& setting, const std::string& message, std::string hint) {
    add(loaded_.faults, setting, message, std::move(hint));
  }

  void add(std::vector<Fault>& list, const std::string& setting, const std::string& message, std::string hint) {
    const std::string& where = loaded_.origins[index_of(*find_setting(setting))].where;
    list.push_back({where.empty() ? "default" : where, setting + " " + message, std::move(hint)});
  }

  const Settings& settings_;
  Loaded& loaded_;
};

}  // namespace

void check(const Settings& settings, Loaded& loaded) { Check(settings, loaded).run(); }

}  // namespace sluice::config
