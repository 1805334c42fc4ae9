// The embedded store and the library's Limiter as homes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenario/home.h"
#include "sluice/clock.h"
#include "sluice/limiter.h"
#include "stores/memory/memory_store.h"

namespace sluice::scenario {

// A request as the store takes it: keys that name the limit and the bucket, and views into them.
class Request {
 public:
  explicit Request(std::span<const Take> takes);
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  std::span<const sluice::Take> takes() const { return takes_; }

 private:
  std::vector<std::string> keys_;
  std::vector<sluice::Take> takes_;
};

class MemoryHome : public Home {
 public:
  MemoryHome();

  Answer take(std::span<const Take> takes, Instant now) override;
  Answer peek(std::span<const Take> takes, Instant now) override;
  void refund(std::span<const Take> takes, Instant now) override;

 private:
  std::unique_ptr<memory::MemoryStore> store_;
};

class LimiterHome : public Home {
 public:
  LimiterHome();

  Answer take(std::span<const Take> takes, Instant now) override;
  Answer peek(std::span<const Take> takes, Instant now) override;
  void refund(std::span<const Take> takes, Instant now) override;

 private:
  ManualClock clock_;
  Limiter limiter_;
};

}  // namespace sluice::scenario
