// Any bytes, however they are cut, get the same replies as in one piece; and every reply is whole.
#include <stddef.h>
#include <stdint.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "doors/resp/session.h"
#include "stores/memory/memory_store.h"

namespace {

namespace resp = sluice::doors::resp;

class StandingTime final : public sluice::doors::TimeSource {
 public:
  sluice::Instant instant() override { return sluice::Instant(1'000'000'000); }
  sluice::Duration since_epoch() override { return sluice::Duration::seconds(1'800'000'000); }
};

resp::Options options_of(bool wants_token) {
  resp::Options options;
  options.limits = {64, 4096, 16384, 512};
  if (wants_token) options.access = sluice::doors::Access("t");
  return options;
}

// A connection of its own, on buckets of its own.
class Connection {
 public:
  explicit Connection(bool wants_token) : maker_(desk_, options_of(wants_token)), session_(maker_.make(peer_)) {}

  // False once it is closed.
  bool send(std::string_view bytes) {
    waiting_ += bytes;
    for (;;) {
      const sluice::net::Consumed consumed = session_->on_bytes(waiting_, output_);
      if (consumed.bytes > waiting_.size()) std::abort();
      waiting_.erase(0, consumed.bytes);
      const bool has_answered = !output_.empty();
      replies_ += output_.bytes();
      output_.clear();
      if (consumed.next == sluice::net::Next::kClose) return false;
      if (!has_answered) return true;
    }
  }

  const std::string& replies() const { return replies_; }

 private:
  std::unique_ptr<sluice::memory::MemoryStore> store_ =
      std::move(*sluice::memory::MemoryStore::create({.max_bytes = 1 << 20, .huge_pages = false}));
  sluice::limiter::Limiter limiter_{{*store_, *store_, {}}};
  StandingTime time_;
  sluice::doors::LoopDesk desk_{limiter_, time_};
  sluice::net::Peer peer_{"192.0.2.1"};
  resp::SessionMaker maker_;
  std::unique_ptr<sluice::net::Session> session_;
  sluice::net::Output output_;
  std::string waiting_;
  std::string replies_;
};

}  // namespace

// The first two bytes say how to cut the rest.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const bool wants_token = (data[0] & 1) != 0;
  uint64_t random = (uint64_t{data[0]} << 8 | data[1]) * 0x9e3779b97f4a7c15U | 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

  Connection whole(wants_token);
  whole.send(bytes);
  Connection cut(wants_token);
  for (size_t at = 0; at < bytes.size();) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const size_t piece = 1 + (random >> 40) % ((data[1] & 1) != 0 ? 4 : 64);
    if (!cut.send(bytes.substr(at, piece))) break;
    at += piece;
  }
  if (whole.replies() != cut.replies()) std::abort();
  if (!whole.replies().empty() && !whole.replies().ends_with("\r\n")) std::abort();
  return 0;
}
