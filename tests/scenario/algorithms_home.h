// The pure algorithms as a home: buckets in a map, no clock, no store. The reference that other homes are held to.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "algorithms/bucket.h"
#include "scenario/home.h"

namespace sluice::scenario {

class AlgorithmsHome : public Home {
 public:
  // Law 8 says that these two cannot be told apart.
  enum class FullBuckets : uint8_t { kKept, kForgotten };

  explicit AlgorithmsHome(FullBuckets full_buckets) : full_buckets_(full_buckets) {}

  Answer take(std::span<const Take> takes, Instant now) override;
  Answer peek(std::span<const Take> takes, Instant now) override;
  void refund(std::span<const Take> takes, Instant now) override;

 private:
  struct Held {
    Bucket bucket;
    std::vector<Admission> admissions;  // the memory of bucket.log
  };

  Held& held(const Take& take, Instant now);
  std::vector<BucketOutcome> decide_all(std::span<const Take> takes, Instant now);
  Answer answer(std::span<const Take> takes, const std::vector<BucketOutcome>& outcomes, Instant now);

  const FullBuckets full_buckets_;
  std::map<std::pair<std::string, std::string>, Held> buckets_;
};

}  // namespace sluice::scenario
