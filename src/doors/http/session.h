// A connection that speaks HTTP/1.1 or HTTP/1.0: whole requests go to a router, in order, answers come back in order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doors/http/chunks.h"
#include "doors/http/head.h"
#include "doors/http/head_scan.h"
#include "doors/http/router.h"
#include "net/session.h"

namespace sluice::doors::http {

struct Hall;

// A hall for each seat; of sessions that speak at the same time each is in another.
class Halls {
 public:
  virtual Hall& at(size_t seat) = 0;

 protected:
  ~Halls() = default;
};

// What sessions share: the routes, and memory for one request at a time. Where nobody waits, one will do.
struct Hall final : Halls {
  explicit Hall(Router its_router, Limits its_limits = {}) : router(std::move(its_router)), limits(its_limits) {
    fields.reserve(limits.fields);
  }

  Hall& at(size_t) override { return *this; }

  const Router router;
  const Limits limits;
  std::vector<Field> fields;
  std::string body;  // of chunks
  std::string text;  // of a response
};

// Remembers only how far it has looked: a request that is not whole yet stays with the connection.
class Session final : public net::Session {
 public:
  // Both must outlive it.
  Session(Halls& halls, const net::Peer& peer) : halls_(halls), peer_(peer) {}

  net::Consumed on_bytes(std::string_view bytes, net::Turn turn) override;
  // The last request that has come is told that no other will be answered.
  void on_drain() override { is_draining_ = true; }

 private:
  // Over the calls that it takes until a request is whole.
  struct Progress {
    HeadScan head;
    ChunkScan chunks;
    size_t needed = 0;  // head and body, once the head has told
    Framing framing = Framing::kNone;
    bool has_framing = false;
  };
  // Within one call.
  struct Reading {
    Head head;
    Request request;  // without the body
    bool has_head = false;
    Fault fault = Fault::kNone;
  };

  // The first request of `bytes`: with nothing consumed, more bytes are needed.
  net::Consumed serve(std::string_view bytes, net::Output& output);
  // True: the head is whole, and what it says of the body is known. False: it is not yet, or there is a fault.
  bool learn_framing(std::string_view bytes, Reading& reading);
  // The same of the request, of progress_.needed bytes.
  bool is_whole(std::string_view bytes, Reading& reading);
  void parse(std::string_view bytes, Reading& reading);
  // Once for each request, before its body is waited for. None: it goes on.
  std::optional<net::Consumed> turn_away(std::string_view bytes, const Reading& reading, net::Output& output);
  net::Consumed answer(std::string_view bytes, Reading& reading, net::Output& output);
  net::Consumed wait_or_refuse(Fault fault, net::Output& output);
  bool stays_open(std::string_view bytes, const Head& head) const;

  Halls& halls_;
  Hall* hall_ = nullptr;  // within a call
  const net::Peer& peer_;
  Progress progress_;
  bool is_draining_ = false;
};

}  // namespace sluice::doors::http
