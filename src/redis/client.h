// Redis, wherever and however many servers it is: one server, the master that sentinels name, or a Cluster. One for
// each loop, for the thread of that loop alone, but for what says otherwise.
//
// Commands that are sent in one turn of the loop leave together at its end, and are answered in order if they go to the
// same server. None is told within send(), and each is told within the time of Options::request_ms: a reply, or a
// failure. While a server is away, a command for it is refused at once.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "net/loop.h"
#include "redis/options.h"
#include "redis/request.h"
#include "redis/status.h"

namespace sluice::redis {

class Alarms;
class Dispatch;
class Router;

class Client {
 public:
  // The text says what is wrong with the options, or why the kernel refuses. The loop must outlive the client; so must
  // the listener, if there is one. Connections are made when the loop runs.
  static std::variant<std::unique_ptr<Client>, std::string> create(net::Loop& loop, const Options& options,
                                                                   StatusListener* listener = nullptr);
  // Closes it.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // False: nobody to ask, too many under way, or its time is up already; the request will be told nothing. REQUIRES: it
  // is not under way.
  bool send(Request& request);
  // Whether send() might take a request for this slot just now.
  bool is_available(uint16_t slot = kAnySlot) const;

  // Ends all connections; what is under way is told. REQUIRES: not from within a request's call.
  void close();

  // For deadlines of those who ask; of no use once it is closed.
  Alarms& alarms() { return *alarms_; }

  // Any thread.
  const Counts& counts() const;
  Status status() const;

 private:
  friend class Subscriber;

  Client(net::Loop& loop, const Options& options);

  net::Loop& loop_;
  const Options options_;
  std::unique_ptr<Alarms> alarms_;
  std::unique_ptr<Dispatch> dispatch_;
  std::unique_ptr<Router> router_;
};

}  // namespace sluice::redis
