// The connection to one server, made anew whenever it is lost, with the circuit breaker of that server. One thread.
//
// The breaker is closed while commands are taken on. It opens when a connection cannot be made, when commands time out
// one after the other, or when the server says time and again that it cannot; then a connection is tried now and then,
// and closes it once its first commands are answered.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "redis/alarms.h"
#include "redis/backoff.h"
#include "redis/greeting.h"
#include "redis/queue.h"
#include "redis/request.h"
#include "redis/status.h"
#include "redis/wire.h"

namespace sluice::redis {

class Link;

// Told of all requests of a link. Within any of these, links may be asked, left and closed, but not destroyed.
class LinkOwner {
 public:
  // In time, and of any kind.
  virtual void on_link_reply(Link& link, Request& request, const Reply& reply) = 0;
  virtual void on_link_lost(Request& request, Failure failure) = 0;
  // It has come up, or gone.
  virtual void on_link_change(Link& link) = 0;

 protected:
  ~LinkOwner() = default;
};

// What a link is made with. All must outlive it.
struct Surroundings {
  net::Loop& loop;
  Alarms& alarms;
  const Options& options;
  Counts& counts;
  LinkOwner& owner;
};

class Link final : private WireOwner {
 public:
  enum class Ask : uint8_t { kPlainly, kWithAsking };

  Link(const Surroundings& surroundings, Address address, const Greeting& greeting);
  ~Link() { close(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void start();
  // False: it cannot take it on.
  bool send(Request& request, Ask ask = Ask::kPlainly);
  // The request's time is up; its reply will be dropped, if it comes. REQUIRES: this link has it.
  Failure give_up(Request& request);
  // Takes nothing on any more, and begins anew once all is answered that was asked.
  void leave(const std::string& why);
  // The server said so of a command, for good or for as long as that had time. After a few of them it is left alone
  // for a while.
  void count_refusal(const std::string& why);
  // For good; what was asked is lost.
  void close();

  bool is_available() const { return accepts_; }
  // It said time and again that it cannot, and has done nothing since.
  bool is_refusing() const { return is_refusing_; }
  bool is_up() const { return state_ == State::kUp; }
  const Address& address() const { return address_; }
  ServerStatus status() const;

 private:
  enum class State : uint8_t { kAway, kConnecting, kUp, kLeaving, kClosed };
  using Lost = std::vector<std::pair<Request*, Failure>>;

  void on_dialling() override;
  void on_connected() override;
  void on_wire_reply(const Reply& reply) override;
  void on_wire_lost(const std::string& why) override;

  void on_alarm();
  void connect();
  void come_up();
  void fail(const std::string& why);
  void drop(const std::string& why);
  void wait_a_while();
  Lost hang_up();
  void tell(const Lost& lost);
  void count_timeout();
  void note_served();
  void ask(Request& request, Ask how, int64_t sent_ns);
  void become(State state);

  const Surroundings around_;
  const Address address_;
  const Greeting& greeting_;
  Alarm alarm_;
  Backoff backoff_;
  std::unique_ptr<Wire> wire_;
  Queue queue_;
  State state_ = State::kAway;
  bool accepts_ = false;
  bool is_breaker_closed_ = true;
  bool has_served_ = false;  // this connection, some command, in time
  size_t greeted_ = 0;       // answers to the greeting
  int timeouts_ = 0;         // in a row
  int refusals_ = 0;         // of which none came long after the one before
  int64_t refused_ns_ = 0;   // the last of them
  bool must_rest_ = false;
  bool is_refusing_ = false;
  int64_t up_ns_ = 0;
  std::string why_;
  std::chrono::system_clock::time_point since_ = std::chrono::system_clock::now();
};

// Ends a link, and destroys it once nothing can reach it.
void retire(net::Loop& loop, std::unique_ptr<Link> link);

}  // namespace sluice::redis
