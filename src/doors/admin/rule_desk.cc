#include "doors/admin/rule_desk.h"

#include <utility>

namespace sluice::doors::admin {

sql::Outcome<rules::RuleTable*> RuleDesk::table() {
  if (failed_ && time_.instant() - failed_at_ < kPause) return *failed_;
  if (table_ != nullptr) return table_.get();
  auto opened = source_.open();
  if (!opened) {
    failed_ = opened.fault();
    failed_at_ = time_.instant();
    return *failed_;
  }
  failed_.reset();
  table_ = std::move(*opened);
  return table_.get();
}

void RuleDesk::note(const sql::Fault& fault) {
  // Rights may be given later, and are looked at when a table is opened.
  const bool is_over = fault.trouble == sql::Trouble::kAway || fault.trouble == sql::Trouble::kBroken ||
                       fault.trouble == sql::Trouble::kReadOnly;
  if (is_over) table_ = nullptr;
  // Who comes next would wait as long, and all others behind them.
  if (fault.trouble != sql::Trouble::kBusy) return;
  failed_ = fault;
  failed_at_ = time_.instant();
}

}  // namespace sluice::doors::admin
