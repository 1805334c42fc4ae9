// The numbers behind a host's name, without waiting for them: asking for them may take seconds, so that a thread of its
// own does.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/loop.h"
#include "redis/place.h"

namespace sluice::redis {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

struct Found {
  std::vector<SocketAddress> addresses;
  std::string why;  // there are none
};

// Of a local socket or a host that is a number already; nothing for a name.
Found find_at_once(const Address& address);

// One question. The answer comes on the loop's thread, not before start() has returned.
class Lookup final : public net::Watcher {
 public:
  using Then = std::function<void(const Found&)>;

  Lookup(net::Loop& loop, Then then) : loop_(loop), then_(std::move(then)) {}

  // False when the kernel refuses.
  bool start(const Address& address);
  // The answer is not wanted any more; whoever is still at it is left alone.
  void close();

 private:
  struct Shared;  // with the thread

  void on_ready(uint32_t events) override;

  net::Loop& loop_;
  const Then then_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace sluice::redis
