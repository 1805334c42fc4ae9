// A rejection as an event loop knows it. Views: valid only while its request is decided.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::audit {

struct Rejection {
  std::string_view bucket_key;  // any bytes; empty where no bucket was asked
  // Empty: not known.
  std::string_view user_id{};
  std::string_view ip_address{};
  std::string_view endpoint{};
  // Empty for a bucket beside the rules.
  std::string_view policy{};
  std::string_view rule{};
  std::string_view reason;  // must live as long as the process
  double tokens = 0;        // what was there
  double cost = 0;          // what it wanted
  bool is_shadow = false;
  int64_t rule_id = 0;  // the row of rate_limit_rule that the rule was from when it rejected; 0: from none
};

}  // namespace sluice::audit
