#include "audit/table_link.h"

#include <algorithm>

namespace sluice::audit {

sql::Outcome<ViolationTable*> TableLink::table() {
  if (table_ == nullptr) {
    auto opened = open_();
    if (!opened) return opened.fault();
    table_ = std::move(*opened);
  }
  return table_.get();
}

void TableLink::failed(Clock::time_point now) {
  table_ = nullptr;
  wait_ = wait_.count() == 0 ? back_off_.first : std::min(wait_ * 2, back_off_.longest);
  // Those who lost the table together do not come back together.
  std::uniform_int_distribution<int64_t> spread(wait_.count() / 2, wait_.count() * 3 / 2);
  retry_at_ = now + std::chrono::milliseconds(spread(random_));
}

}  // namespace sluice::audit
