// Listens to a channel of Redis on a connection of its own, at a server that a client knows. One thread: the client's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "redis/client.h"

namespace sluice::redis {

class ChannelListener {
 public:
  virtual void on_message(std::string_view message) = 0;
  // Whether messages come. What was published while they did not is lost.
  virtual void on_live(bool is_live) = 0;

 protected:
  ~ChannelListener() = default;
};

class Subscriber {
 public:
  // Begins at once. Client and listener must outlive it.
  Subscriber(Client& client, std::string channel, ChannelListener& listener);
  ~Subscriber();
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  bool is_live() const;
  // Why not, as of the last try.
  const std::string& why() const;

 private:
  class Ear;
  std::unique_ptr<Ear> ear_;
};

}  // namespace sluice::redis
