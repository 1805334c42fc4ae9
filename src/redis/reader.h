// Bytes of a server become replies. hiredis finds their ends; what they hold is kept here, in memory that is used again
// for the next reply.
#pragma once

#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "redis/reply.h"

struct redisReader;

namespace sluice::redis {

class Reader {
 public:
  Reader();
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // False: no memory, or too many bytes without the end of a reply.
  bool feed(std::string_view bytes);

  enum class Next : uint8_t { kReply, kIncomplete, kNonsense };
  // The reply holds until the next call of either.
  Next next(Reply& reply);
  // What is wrong with the bytes, once they are nonsense.
  std::string complaint() const;

 private:
  struct Making;  // what hiredis calls

  static constexpr size_t kKeptBytes = 4096;

  redisReader* const reader_;
  Reply root_;
  char kept_[kKeptBytes];
  std::pmr::monotonic_buffer_resource memory_{kept_, kKeptBytes};
  bool has_told_ = false;  // the reply in memory_
};

}  // namespace sluice::redis
