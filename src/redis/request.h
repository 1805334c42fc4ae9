// One command on its way. It belongs to whoever sends it, and stays where it is until it is told, exactly once, what
// became of it. Then it may be sent again, also from within that call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "redis/reply.h"

namespace sluice::redis {

enum class Failure : uint8_t {
  kNotSent,  // nothing can have changed
  kUnknown,  // it may have been carried out, or may be yet
};

// For commands without a key: any server will do.
inline constexpr uint16_t kAnySlot = UINT16_MAX;
inline constexpr uint16_t kSlots = 16384;

// Where a Cluster keeps a key; of a key with a part in braces, that part decides.
uint16_t slot_of(std::string_view key);

// Adds a command as it goes over the wire.
void append_command(std::string& bytes, std::span<const std::string_view> words);
void append_command(std::string& bytes, std::initializer_list<std::string_view> words);

class Request {
 public:
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  // Exactly one command, as append_command() writes it. REQUIRES: both stay as they are while it is under way. The
  // memory of the string may be used again for the next one.
  std::string command;
  uint16_t slot = kAnySlot;
  // When its time began, by monotonic_ns(); 0: when it is sent.
  int64_t since_ns = 0;

  bool is_under_way() const { return is_under_way_; }

 protected:
  // REQUIRES: it is not under way.
  ~Request() = default;

 private:
  friend class Dispatch;
  friend class Link;
  friend class UnderWay;

  // An error is a reply too, unless it means that another server is to be asked: then that was done.
  virtual void on_reply(const Reply& reply) = 0;
  virtual void on_failure(Failure failure) = 0;
  // Whether an error that it is told says that a server is of no use to who asks. After a few of them that one is away.
  virtual bool is_refusal(std::string_view) const { return false; }

  Request* next_ = nullptr;  // in the order of deadlines
  Request* previous_ = nullptr;
  int64_t deadline_ns_ = 0;
  class Link* link_ = nullptr;  // that has it; none while it waits to be asked again
  uint64_t ticket_ = 0;         // its number there
  uint8_t tries_ = 0;           // so often it waited to be asked again
  uint8_t redirections_ = 0;    // since then
  bool is_once_ = false;        // never asked again
  bool is_under_way_ = false;
};

}  // namespace sluice::redis
