// Which server to ask. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "redis/link.h"

namespace sluice::redis {

class Router {
 public:
  virtual ~Router() = default;

  virtual void start() = 0;
  // Ends all links, for good.
  virtual void close() = 0;

  // Nobody: nullptr. Whether the link takes anything on is for it to say.
  virtual Link* link_for(uint16_t slot) = 0;
  // Where a server sent a request; nullptr if such things are not done here.
  virtual Link* link_at(const Address&) { return nullptr; }

  // A slot is elsewhere from now on.
  virtual void on_moved(uint16_t, Link&) {}
  // A server could not do what was asked: things may have changed.
  virtual void on_trouble() {}
  virtual void on_change(Link&) {}

  // One that is up, for those who bring a connection of their own.
  virtual std::optional<Address> some_server() const = 0;
  virtual std::vector<const Link*> links() const = 0;
  // Why there is nobody to ask, if it is not a link that knows; else empty.
  virtual std::string why() const { return {}; }
};

}  // namespace sluice::redis
