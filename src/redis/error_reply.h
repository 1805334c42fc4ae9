// What an error of a server means for who asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "redis/place.h"

namespace sluice::redis {

enum class Verdict : uint8_t {
  kTell,       // the command's own business
  kElsewhere,  // this is not the server to ask, or not now: the connection is of no use
  kLater,      // not this command just now
  kUnable,     // no such command just now
  kMoved,      // another node has the slot
  kAsk,        // another node has the slot's key, for this once
};

// All but kTell say that nothing was carried out.
Verdict verdict_of(std::string_view error);

struct Redirection {
  uint16_t slot = 0;
  Address to;
};

// Of `MOVED 3999 127.0.0.1:6381` or `ASK ..`; a node that does not say its host has the host of who was asked.
std::optional<Redirection> read_redirection(std::string_view error, const Address& asked);

}  // namespace sluice::redis
