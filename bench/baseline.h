// What most programs start with: a hash map of buckets behind one mutex, in floating point. The measure of all others.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sluice::bench {

class MutexMapLimiter {
 public:
  MutexMapLimiter(double rate, double burst) : rate_(rate), burst_(burst) {}

  bool take(std::string_view key, double cost) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    auto at = buckets_.find(key);
    if (at == buckets_.end()) at = buckets_.emplace(key, Bucket{burst_, now}).first;
    Bucket& bucket = at->second;
    const double elapsed = std::chrono::duration<double>(now - bucket.last).count();
    bucket.tokens = std::min(burst_, bucket.tokens + elapsed * rate_);
    bucket.last = now;
    if (bucket.tokens < cost) return false;
    bucket.tokens -= cost;
    return true;
  }

 private:
  struct Bucket {
    double tokens;
    std::chrono::steady_clock::time_point last;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };

  const double rate_;
  const double burst_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket, Hash, std::equal_to<>> buckets_;
};

}  // namespace sluice::bench
