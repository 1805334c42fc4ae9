// The master that sentinels name. One of them is asked every so often, and the next one when anything went wrong; a new
// master takes the place of the old one at once.
#pragma once

#include <memory>
#include <string>

#include "redis/inquiry.h"
#include "redis/single_router.h"

namespace sluice::redis {

class SentinelRouter final : public Router {
 public:
  SentinelRouter(const Surroundings& surroundings, Dispatch& dispatch);
  ~SentinelRouter() override { close(); }

  void start() override;
  void close() override;
  Link* link_for(uint16_t slot) override { return master_ != nullptr ? master_->link_for(slot) : nullptr; }
  void on_trouble() override { ask_soon(); }
  void on_change(Link& link) override;
  std::optional<Address> some_server() const override;
  std::vector<const Link*> links() const override;
  std::string why() const override { return master_ == nullptr ? why_ : ""; }

 private:
  void ask_soon();
  void on_alarm();
  void go_to_next();
  void on_answer(const Link& asked, const Reply* reply);
  void follow(const Address& master);

  const Surroundings around_;
  Dispatch& dispatch_;
  const Greeting greeting_;  // for sentinels
  Inquiry inquiry_;
  Alarm alarm_;
  std::unique_ptr<Link> sentinel_;
  size_t next_ = 0;
  int64_t asked_ns_ = 0;
  std::unique_ptr<SingleRouter> master_;
  bool wants_another_ = false;  // sentinel to be asked next
  bool is_closed_ = false;
  std::string why_ = "no sentinel has answered yet";
};

}  // namespace sluice::redis
