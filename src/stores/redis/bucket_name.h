// What a bucket is called in Redis: PREFIX{}PART:KEY, e.g. sluice{}0:demo|per-user|42.
//
// Redis Cluster hashes what is in the first braces, or the whole name if that is nothing: the empty ones see to it that
// buckets are spread by their own key, whatever braces a caller puts in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::redis_store {

// REQUIRES here and below: no brace in the prefix.
void append_bucket_name(std::string& out, std::string_view prefix, std::string_view key, uint32_t part);

struct BucketName {
  std::string_view key;  // part of what was parsed
  uint32_t part = 0;
};

// Nothing for a name that append_bucket_name() does not make with this prefix.
std::optional<BucketName> parse_bucket_name(std::string_view name, std::string_view prefix);

// What the script publishes of a bucket that got tokens back.
struct BucketNews {
  BucketName bucket;
  bool is_reset = false;  // and is full
};

std::optional<BucketNews> parse_bucket_news(std::string_view message, std::string_view prefix);

}  // namespace sluice::redis_store
