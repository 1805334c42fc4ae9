// Who was refused what. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::audit {

// One row of rate_limit_violation: a rejection, or many of one key in one second or more, told by their exact count.
struct Violation {
  int64_t id = 0;          // 0: not in the table yet
  std::string bucket_key;  // any bytes; empty where no bucket was asked (kill switches, missing keys)
  std::optional<std::string> user_id;
  std::optional<std::string> ip_address;
  std::optional<std::string> endpoint;
  int64_t requested_at_us = 0;  // unix time of the first
  int64_t last_at_us = 0;       // and of the last; the same for one
  double tokens_at_time = 0;    // what was there at the first
  double cost = 0;              // what it wanted
  uint64_t count = 1;
  std::optional<int64_t> rule_id;  // the row of rate_limit_rule, where rules are in a table
  std::string policy;              // empty for a bucket beside the rules
  std::string rule;
  std::string reason;      // as callers are told: token_bucket_exceeded, kill_switch, ...
  bool is_shadow = false;  // the rule has no say: the request passed as far as it is concerned
};

// Written all or not at all, and once however often it is handed over: a writer's batches have rising numbers.
struct Batch {
  std::string writer;  // of one process, or of those that share a spill folder one after another
  int64_t number = 0;
  std::vector<Violation> violations;
};

struct ViolationFilter {
  std::optional<std::string> user_id{};
  std::optional<std::string> ip_address{};
  std::optional<std::string> bucket_key{};
  std::optional<std::string> endpoint{};
  std::optional<int64_t> rule_id{};
  std::optional<bool> is_shadow{};
  std::optional<int64_t> since_us{};  // requested_at, from this on
  std::optional<int64_t> until_us{};  // and before this
};

// Where a page ended: what follows is older, or of the same time with a smaller id.
struct Cursor {
  int64_t requested_at_us = 0;
  int64_t id = 0;
};

}  // namespace sluice::audit
