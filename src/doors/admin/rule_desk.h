// The table of rules as the admin door asks it: through one connection, which is made when it is first needed, and anew
// after it was lost. While there is none, who asks is told so at once rather than after a time-out each.
#pragma once

#include <memory>
#include <optional>

#include "doors/admin/sources.h"
#include "doors/time_source.h"
#include "rules/table/rule_table.h"
#include "sql/outcome.h"

namespace sluice::doors::admin {

// Used by one thread.
class RuleDesk {
 public:
  // How long a connection that failed is not tried again.
  static constexpr Duration kPause{1'000'000'000};

  // Both must outlive it.
  RuleDesk(const RuleTableSource& source, TimeSource& time) : source_(source), time_(time) {}

  // Valid until the next call. REQUIRES: the source has a table.
  sql::Outcome<rules::RuleTable*> table();
  // To be told of every fault of the table: one that has lost its connection is not asked again.
  void note(const sql::Fault& fault);

 private:
  const RuleTableSource& source_;
  TimeSource& time_;
  std::unique_ptr<rules::RuleTable> table_;
  std::optional<sql::Fault> failed_;
  Instant failed_at_;
};

}  // namespace sluice::doors::admin
