// What the rules say of one request before any bucket is asked: the result of Matcher::match(), and its working memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rules/model.h"

namespace sluice::rules {

enum class Ruling : uint8_t {
  kAsk,         // the buckets of what applies decide; where nothing applies, the request passes
  kKilled,      // by a kill switch
  kMissingKey,  // by an enforced rule whose on_missing_key is deny: the first one in the order rules are asked in
};

// A rule that applies to a request.
struct Application {
  const Policy* policy = nullptr;
  const Rule* rule = nullptr;
  std::string_view key;  // of its buckets, in the Evaluation's memory
  Tokens cost;
};

// Who asked for what, as the rules see it. Empty: not known.
struct Origin {
  std::string_view user_id;  // the attribute
  std::string_view address;  // of the client, behind the proxies that are trusted
  std::string_view path;     // normalized
};

struct EvaluationMemory;

// Reused, it allocates nothing once it has grown. Not thread-safe.
class Evaluation {
 public:
  Evaluation();
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  // kAsk: in the order of the file, shadow rules among them. Empty otherwise. Valid until the next match.
  std::span<const Application> applied() const;
  // kKilled: the switch, of the rules that were matched.
  const KillSwitch* kill_switch() const;
  // The value that the switch holds for. REQUIRES: kKilled, and the request is still there.
  std::string_view killed_value();
  // kMissingKey: the rule that denies, with no key.
  const Application& denied_by() const;
  // kAsk: shadow rules that would deny it for a missing key, with no key.
  std::span<const Application> denied_in_shadow() const;
  // Of the request that was matched, which must still be there. Read when it is asked for; valid until the next match.
  Origin origin();

 private:
  friend class Matcher;
  std::unique_ptr<EvaluationMemory> memory_;
};

}  // namespace sluice::rules
