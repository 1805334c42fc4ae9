// A question that a router has for a server.
#pragma once

#include <functional>
#include <string>

#include "redis/dispatch.h"

namespace sluice::redis {

class Inquiry final : public Request {
 public:
  // The reply, with the link that gave it; nullptr: there was none.
  using Then = std::function<void(const Link& asked, const Reply* reply)>;

  Inquiry(Dispatch& dispatch, std::initializer_list<std::string_view> words, Then then)
      : dispatch_(dispatch), then_(std::move(then)) {
    append_command(command, words);
  }

  // False: it cannot be asked just now.
  bool ask(Link& link) {
    if (is_under_way() || !dispatch_.send_on(link, *this, kPatienceNs)) return false;
    asked_ = &link;
    return true;
  }

 private:
  static constexpr int64_t kPatienceNs = 250 * kNsPerMs;

  void on_reply(const Reply& reply) override { then_(*asked_, &reply); }
  void on_failure(Failure) override { then_(*asked_, nullptr); }

  Dispatch& dispatch_;
  const Then then_;
  const Link* asked_ = nullptr;
};

}  // namespace sluice::redis
