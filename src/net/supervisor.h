// How a process gets on with whoever started it, as systemd does it: sockets handed over, and word when it is ready.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/descriptor.h"

namespace sluice::net {

// A listening socket that was opened for this process.
struct HandedOver {
  std::string name;  // FileDescriptorName= of its .socket unit; empty where none was given
  Descriptor fd;
};

// Those named by LISTEN_FDS, if they are meant for this process. Once: the variables are taken out.
std::vector<HandedOver> take_sockets();

// `READY=1`, `STOPPING=1`, `RELOADING=1`, `STATUS=...`. Does nothing when nobody listens.
void tell_supervisor(std::string_view state);

}  // namespace sluice::net
