// What a connection speaks: bytes in, bytes out. Knows no socket, so that a test can be its other end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "net/output.h"

namespace sluice::net {

// Who is at the other end.
struct Peer {
  std::string_view address;  // as text, without the port: `203.0.113.7`, `2001:db8::1`; empty for a local socket
  bool is_encrypted = false;
  bool is_local = false;  // on a local socket: a process of this machine
  uint16_t port = 0;
};

enum class Next : uint8_t {
  kRead,   // with more bytes, go on
  kClose,  // once the output is sent; no more bytes are wanted
};

struct Consumed {
  size_t bytes = 0;
  Next next = Next::kRead;
};

// With what a session answers: where its words go, and the seat it has meanwhile. Where answers may have to be waited
// for, several sessions speak at the same time; then each has another seat, and uses memory that belongs to it. Else
// all have seat 0, one after another.
struct Turn {
  Turn(Output& its_output, size_t its_seat = 0) : output(its_output), seat(its_seat) {}  // NOLINT: mostly that is all.

  Output& output;
  size_t seat;
};

// One for each connection: keep it small, for there may be many that say nothing. Used by one thread.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  // `bytes` is all that came and was not consumed yet; views into it end with the call. Replies are appended to the
  // turn's output. A session consumes whole messages, as many as there are while that has room; it is called again when
  // more bytes came or the output was sent. What it leaves is the start of a message: the other end then has a bounded
  // time to send the rest.
  virtual Consumed on_bytes(std::string_view bytes, Turn turn) = 0;

  // False while the other end has yet to say who it is, though it must: it has a bounded time for that.
  virtual bool knows_peer() const { return true; }
  // The server is about to stop: say so with the next reply, if the protocol can.
  virtual void on_drain() {}
  // The other end sends no more. What it has asked for was answered.
  virtual void on_end() {}
};

// Makes the session of a new connection. One for each event loop and door; used by that loop's thread.
class SessionMaker {
 public:
  virtual ~SessionMaker() = default;
  // `peer` lives as long as the session.
  virtual std::unique_ptr<Session> make(const Peer& peer) = 0;
};

}  // namespace sluice::net
