// What a rules file says, typed and valid: the language (language/) makes it, the matcher (matcher.h) reads it.
// Plain values, immutable once they are compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/address.h"
#include "rules/key_source.h"
#include "sluice/limit.h"
#include "sluice/units.h"

namespace sluice::rules {

enum class Mode : uint8_t {
  kEnforce,
  kShadow,  // decides and is counted, but rejects nobody and shows in no header
};

// What to do with a request that lacks one of a rule's limit_keys.
enum class OnMissingKey : uint8_t {
  kShare,  // all such requests share one bucket
  kSkip,   // the rule does not apply
  kDeny,
};

enum class OnStoreFailure : uint8_t {
  kAllow,
  kDeny,
  kLocal,  // limit in memory meanwhile
};

// Which hosts a policy is for: one name, or with `is_wildcard` every name below it (`*.example.com` is not
// example.com).
struct HostPattern {
  std::string name;  // in lower case, with no port; of a wildcard, what stands behind `*.`
  bool is_wildcard = false;
};

// Every part that is there must hold. One with no parts holds for every request.
struct Selector {
  std::optional<std::string> path;         // normalized: see path.h
  std::optional<std::string> path_prefix;  // likewise; whole segments
  std::vector<std::string> methods;        // in upper case; empty: any
  std::vector<HostPattern> hosts;          // empty: any
};

// Holds when the source has a value and any of these fits it. Exactly one of the lists is not empty.
struct Condition {
  KeySource source;
  std::vector<std::string> values;    // equal to one of them
  std::vector<std::string> prefixes;  // begins with one of them
  std::vector<Network> networks;      // an address in one of them; only for ip:address
};

struct Cost {
  std::optional<KeySource> source;  // a header or a query parameter; none: always `fixed`
  Tokens fixed = kOneToken;
  Tokens fallback = kOneToken;  // where the source has no value that is a finite number above 0
  std::optional<Tokens> most;   // what a source says is cut to this
};

// Tokens that a server takes from a shared store in advance.
struct Lease {
  enum class Kind : uint8_t { kOff, kAuto, kFixed };

  Kind kind = Kind::kOff;
  Tokens tokens;  // kFixed: at a time
  Duration ttl;   // kFixed: how long they may wait
};

struct Rule {
  std::string name;  // unique within its policy
  std::string description;
  Mode mode = Mode::kEnforce;  // shadow if the rule or its policy says so
  int32_t priority = 0;        // of the tiers of one limit the highest is asked first, then the first in the file
  std::vector<KeySource> limit_keys;
  std::vector<Condition> match;  // all must hold
  std::vector<Limit> limits;     // at least one; all on one key, all or nothing
  Cost cost;
  OnMissingKey on_missing_key = OnMissingKey::kShare;
  OnStoreFailure on_store_failure = OnStoreFailure::kAllow;
  Lease lease;
  int64_t row_id = 0;  // of rate_limit_rule, where it stands there or in a policy that does; 0: of a file
};

// Denies whom the condition holds for, until it expires. Goes before every rule.
struct KillSwitch {
  Condition condition;
  std::optional<int64_t> expires_at_us;  // unix microseconds; none: until it is taken out
  std::string reason;                    // for people

  bool has_expired(int64_t unix_us) const { return expires_at_us && *expires_at_us <= unix_us; }
  bool outlasts(const KillSwitch& other) const {
    return other.expires_at_us && (!expires_at_us || *expires_at_us > *other.expires_at_us);
  }
};

struct Policy {
  std::string id;  // unique
  Selector selector;
  std::vector<Rule> rules;  // in the order of the file
  std::vector<KillSwitch> kill_switches;
};

// Which header a trusted proxy writes the client's address to. Only that one is read: the other may be the client's
// own.
enum class ForwardedHeader : uint8_t { kXForwardedFor, kForwarded };

enum class JwtAlgorithm : uint8_t { kHs256, kRs256, kEs256 };

struct JwtKey {
  JwtAlgorithm algorithm = JwtAlgorithm::kHs256;
  std::string id;      // `kid`; empty: fits tokens with any or none
  std::string secret;  // HS256: the bytes. Else: the public key in PEM.

  friend bool operator==(const JwtKey&, const JwtKey&) = default;
};

struct JwtSettings {
  std::vector<JwtKey> keys;
  bool trust_upstream = false;  // a gateway has verified tokens already: claims count without a signature
  int64_t leeway_seconds = 0;   // on `exp` and `nbf`
  std::string issuer;           // where not empty, `iss` must be this
  std::string audience;         // where not empty, `aud` must be this or contain it

  friend bool operator==(const JwtSettings&, const JwtSettings&) = default;
};

// Which sets of headers tell callers where they stand.
struct HeaderSets {
  bool ietf = true;
  bool legacy = true;
  bool x = false;
};

struct RuleSet {
  std::vector<Policy> policies;
  std::vector<KillSwitch> kill_switches;
  std::vector<Network> trusted_proxies;
  bool trusts_unix = false;  // whoever connects on a local socket is a trusted proxy too
  ForwardedHeader forwarded_header = ForwardedHeader::kXForwardedFor;
  JwtSettings jwt;
  HeaderSets headers;
};

}  // namespace sluice::rules
