#include "audit/collection.h"

#include <algorithm>
#include <utility>

namespace sluice::audit {
namespace {

size_t size_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

size_t size_of(const Violation& row) {
  return sizeof(row) + row.bucket_key.size() + size_of(row.user_id) + size_of(row.ip_address) + size_of(row.endpoint) +
         row.policy.size() + row.rule.size() + row.reason.size();
}

}  // namespace

void Collection::collect() {
  for (Ledger* const ledger : ledgers_) {
    Page* const page = ledger->collect();
    if (page == nullptr || page->rows() == 0) continue;
    pages_.push_back(page);
    rows_ += page->rows();
  }
}

std::vector<Violation> Collection::next(const Limits& limits) {
  std::vector<Violation> rows;
  rows.reserve(std::min(limits.rows, rows_));
  size_t bytes = 0;
  while (!pages_.empty() && rows.size() < limits.rows && bytes < limits.bytes) {
    Violation row;
    if (!pages_.back()->read(position_, row)) {
      pages_.back()->clear();
      pages_.pop_back();
      position_ = 0;
      continue;
    }
    bytes += size_of(row);
    rows.push_back(std::move(row));
    --rows_;
  }
  // The last page may have been read to its end with the last row.
  if (rows_ == 0 && !pages_.empty()) {
    pages_.back()->clear();
    pages_.pop_back();
    position_ = 0;
  }
  return rows;
}

}  // namespace sluice::audit
