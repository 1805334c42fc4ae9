// One connection: a socket, the session that speaks on it, and how long either may keep the other waiting.
//
// Bytes are read into memory of the loop and answered from there; only the start of a message that has yet to end, and
// replies that the other end does not take, are kept here. So a connection that says nothing costs next to nothing, and
// one that sends and does not read is not read from any more once so much is waiting for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/descriptor.h"
#include "net/fibers.h"
#include "net/loop.h"
#include "net/outbox.h"
#include "net/output.h"
#include "net/session.h"
#include "net/tls.h"
#include "net/traffic.h"

namespace sluice::net {

// In milliseconds; 0: for ever.
struct Patience {
  int64_t idle_ms = 75'000;  // between messages
  int64_t message_ms =
      10'000;                 // for a message from its first byte to its last, for shaking hands, for saying who one is
  int64_t write_ms = 10'000;  // until the other end takes anything
};

class Connection;

// Knows all connections of a listener.
class ConnectionOwner {
 public:
  // The connection has ended; it is destroyed once no event can reach it.
  virtual void on_closed(Connection& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

// What a connection is made with. All must outlive it.
struct Surroundings {
  Loop& loop;
  Outbox& outbox;
  const Patience& patience;
  Traffic& traffic;
  ConnectionOwner& owner;
  Fibers* fibers = nullptr;  // where answers may have to be waited for
};

class Connection final : public Watcher, private Timer, private Task {
 public:
  Connection(const Surroundings& surroundings, Descriptor fd, std::unique_ptr<TlsStream> tls);
  ~Connection() override;

  // False when the kernel refuses.
  bool start(SessionMaker& maker);
  // Ends it now if nothing is under way, else with the reply that is. What has come already is read first.
  void drain();
  void close();
  // Replies of its own, which it has put into the outbox.
  void deliver(std::string_view bytes);

  // Where its owner keeps it.
  size_t place = 0;

 private:
  enum class State : uint8_t {
    kOpen,
    kEnding,     // when all is sent
    kLingering,  // all is sent; what still comes is dropped, for else the other end might lose the last reply
    kClosed,
  };

  void on_ready(uint32_t events) override;
  void on_time(int64_t now_ms) override;
  // A conversation on a fiber: what has come stays in input_ meanwhile, and no more is read.
  void run(size_t seat) override;
  void on_end() override;

  Transferred read(char* to, size_t size);
  Transferred write(std::string_view bytes);
  void read_all();
  bool read_once();
  void drop_input();
  void answer(std::string_view bytes);
  void answer_kept();
  void drop_front(size_t bytes);
  size_t converse(std::string_view bytes, Output& idle, size_t seat);
  void hand_over(size_t bytes, bool at_once);
  void send_pending();
  std::string_view send(std::string_view bytes);
  void settle();
  void linger();
  void watch_for(uint32_t events);
  void fail();
  int64_t deadline() const;
  int64_t deadline_of_strangers() const;
  bool is_open() const { return state_ == State::kOpen; }
  bool has_sent_all() const { return pending_.empty() && in_outbox_ == 0; }
  bool is_quiet() const { return !is_busy_ && input_.empty() && has_sent_all(); }

  const Surroundings around_;
  const Descriptor fd_;
  const std::unique_ptr<TlsStream> tls_;
  uint16_t port_ = 0;
  const std::string address_;
  const Peer peer_;
  std::unique_ptr<Session> session_;
  std::string input_;     // the start of a message
  size_t consumed_ = 0;   // of it, by the last conversation on a fiber
  Output pending_;        // what the other end did not take yet
  size_t in_outbox_ = 0;  // bytes that are to be delivered this turn
  uint32_t watched_ = 0;
  State state_ = State::kOpen;
  bool is_draining_ = false;
  bool is_busy_ = false;  // on a fiber
  bool is_speaking_ = false;
  bool has_read_ = false;
  bool must_write_to_read_ = false;  // shaking hands
  int64_t timer_ms_ = 0;             // when the timer comes; 0: it is not set
  int64_t active_ms_ = 0;            // when bytes last came
  int64_t message_ms_ = 0;           // when the message at hand began, or the connection; 0: there is none
  int64_t stranger_ms_ = 0;          // since when the session does not know who speaks; 0: it does
  int64_t taken_ms_ = 0;             // when the other end last took something
};

}  // namespace sluice::net
