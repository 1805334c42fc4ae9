// What to say of a page that was not read in time.
#pragma once

#include "audit/violation.h"
#include "sql/outcome.h"

namespace sluice::audit {

// Users, addresses and times have an index. All else is looked for among all violations, from the newest on, until the
// time of a statement is over: more indexes would slow down whoever writes.
inline bool looks_through_all(const ViolationFilter& filter) {
  const bool has_index = filter.user_id || filter.ip_address;
  return !has_index && (filter.bucket_key || filter.endpoint || filter.rule_id || filter.is_shadow);
}

// The fault of a list() by this filter, with what would find the page.
inline sql::Fault with_narrower_filter(sql::Fault fault, const ViolationFilter& filter) {
  if (fault.trouble != sql::Trouble::kBusy || !looks_through_all(filter)) return fault;
  if (!fault.hint.empty()) fault.hint += "; ";
  fault.hint += "this filter looks through all violations: narrow it with since, user or ip";
  return fault;
}

}  // namespace sluice::audit
