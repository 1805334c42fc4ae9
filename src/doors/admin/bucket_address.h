// Which buckets a path and its query name: those of a rule's key, or one that callers name and limit themselves.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "limiter/worker.h"
#include "rules/model.h"

namespace sluice::doors::admin {

// The rule's limits must live while it is used.
struct BucketAddress {
  std::string key;
  const rules::Policy* policy = nullptr;  // nullptr: beside the rules
  const rules::Rule* rule = nullptr;
  Limit own_limit;  // where there is no rule

  // One for each limit of its rule. Views into this.
  std::vector<Take> takes() const;
};

struct AddressFault {
  int status = 400;
  std::string sentence;
};

enum class NamedNeeds : uint8_t { kKey, kLimit };

// `text` is the key, percent-encoded; `query` is empty, or `named=1` with `rate` and `burst` where they are needed.
std::variant<BucketAddress, AddressFault> read_address(std::string_view text, std::string_view query,
                                                       const rules::RuleSet& rules, NamedNeeds needs);

}  // namespace sluice::doors::admin
