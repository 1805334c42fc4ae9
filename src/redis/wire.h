// One connection, from dialling to its end: bytes out at the end of the loop's turn, replies in. It is never dialled
// again: whoever wants that makes another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/descriptor.h"
#include "net/loop.h"
#include "net/output.h"
#include "net/tls.h"
#include "redis/lookup.h"
#include "redis/place.h"
#include "redis/reader.h"

namespace sluice::redis {

// Any of these may close the wire.
class WireOwner {
 public:
  // Its host has been found.
  virtual void on_dialling() = 0;
  virtual void on_connected() = 0;
  virtual void on_wire_reply(const Reply& reply) = 0;
  // It has ended, once, by itself.
  virtual void on_wire_lost(const std::string& why) = 0;

 protected:
  ~WireOwner() = default;
};

// Whom to dial. The TLS client must outlive the wire.
struct Dial {
  Address address;
  const net::TlsClient* tls = nullptr;  // none: in the clear
  std::string tls_name;                 // that the certificate must have; empty: the host
};

class Wire final : public net::Watcher, public net::Deferred {
 public:
  Wire(net::Loop& loop, const Dial& dial, WireOwner& owner);

  // The owner may be told within.
  void start();
  // To be sent at the end of this turn. REQUIRES: it is connected.
  void append(std::string_view bytes);
  // Ends it without a word to the owner. Then it is to be retired.
  void close();

  // What is still missing, for who has waited too long.
  const char* what_is_missing() const;

  // Bytes ever appended, and how many of them the kernel has taken.
  uint64_t appended() const { return appended_; }
  uint64_t written() const { return appended_ - output_.size(); }
  size_t waiting() const { return output_.size(); }

 private:
  enum class State : uint8_t { kFinding, kDialling, kShakingHands, kConnected, kClosed };

  void on_ready(uint32_t events) override;
  void on_turn_end() override;

  void on_found(const Found& found);
  void dial_next();
  bool dial(const SocketAddress& to);
  void finish_dialling();
  void begin_tls();
  void shake_hands();
  void become_connected();
  bool read_all();
  bool take(const net::Transferred& got, const char* bytes);
  net::Transferred receive(char* to, size_t size);
  net::Transferred transmit(std::string_view bytes);
  void flush();
  void watch_for(uint32_t events);
  void lose(const std::string& why);
  std::string what_failed(const char* otherwise) const;

  net::Loop& loop_;
  const Dial dial_;
  WireOwner& owner_;
  State state_ = State::kFinding;
  std::unique_ptr<Lookup> lookup_;
  std::vector<SocketAddress> addresses_;  // yet to be tried, the next one last
  std::string last_error_ = "it has no address";
  net::Descriptor fd_;
  std::unique_ptr<net::TlsStream> tls_;
  Reader reader_;
  net::Output output_;
  uint64_t appended_ = 0;
  uint32_t watched_ = 0;
  bool is_deferred_ = false;
};

}  // namespace sluice::redis
