// A client of the RESP door in one process: speaks bytes to a session, on a clock that is set by hand.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doors/resp/session.h"

namespace sluice::resp_client {

class ManualTime final : public doors::TimeSource {
 public:
  Instant instant() override { return now; }
  Duration since_epoch() override { return Duration(epoch.ns + now.ns); }

  Instant now;
  Duration epoch;
};

// A command as clients send it.
std::string command(std::span<const std::string> arguments);

class Client {
 public:
  // The limiter must outlive it.
  explicit Client(limiter::Limiter& limiter, doors::resp::Options options = {});

  ManualTime& time() { return time_; }
  // What one command is answered. Aborts if that is not exactly one reply: no test can go on then.
  nlohmann::json ask(const std::vector<std::string>& arguments);

 private:
  ManualTime time_;
  doors::LoopDesk desk_;
  doors::resp::SessionMaker maker_;
  net::Peer peer_;
  std::unique_ptr<net::Session> session_;
  net::Output output_;
};

}  // namespace sluice::resp_client
