// The pages that were taken from the ledgers, on their way to batches.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "audit/ledger.h"
#include "audit/violation.h"

namespace sluice::audit {

// For one thread.
class Collection {
 public:
  struct Limits {
    size_t rows = 500;
    size_t bytes = size_t{1} << 20;  // of texts, about
  };

  // The ledgers must outlive it.
  explicit Collection(std::vector<Ledger*> ledgers) : ledgers_(std::move(ledgers)) {}

  // Takes what every ledger has. REQUIRES: empty().
  void collect();
  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }

  // The next rows, and takes them off. Pages that were read to their end are empty again. REQUIRES: not empty().
  std::vector<Violation> next(const Limits& limits);

 private:
  const std::vector<Ledger*> ledgers_;
  std::vector<Page*> pages_;
  size_t position_ = 0;  // in the last of them
  size_t rows_ = 0;
};

}  // namespace sluice::audit
