// The HTTP door as a home: what RulesHome asks its limiter goes through /v1/check, /v1/peek and /v1/refund as JSON.
#pragma once

#include "doors/http/door_testing.h"
#include "scenario/rules_home.h"

namespace sluice::scenario {

class HttpHome final : public RulesHome {
 public:
  HttpHome();

  // Tokens are told in full, waits in whole milliseconds.
  Precision precision() const override { return {Tokens::micros(1), Duration::millis(1)}; }

 private:
  Answer ask(std::span<const Take> takes, Instant now, stores::Action action) override;

  doors::http::TimeUnderTest time_;
  doors::LoopDesk desk_;
  doors::http::PublicDoor door_;
  const net::Peer peer_;
  std::unique_ptr<net::Session> session_;
  net::Output output_;
};

}  // namespace sluice::scenario
