// One server: some links to it, in turn.
#pragma once

#include <memory>
#include <vector>

#include "redis/router.h"

namespace sluice::redis {

class SingleRouter final : public Router {
 public:
  SingleRouter(const Surroundings& surroundings, const Address& address);
  ~SingleRouter() override { close(); }

  void start() override;
  void close() override;
  Link* link_for(uint16_t slot) override;
  bool is_available() const;
  std::optional<Address> some_server() const override { return address_; }
  std::vector<const Link*> links() const override;

 private:
  const Surroundings around_;
  const Address address_;
  const Greeting greeting_;
  std::vector<std::unique_ptr<Link>> links_;
  size_t next_ = 0;
};

}  // namespace sluice::redis
