// Buckets in Redis, for one event loop: what is asked in one turn of it goes out together, as few calls of the script.
// While one is under way, more is gathered for the next, if not for long: the busier Redis is, the less a decision
// costs it. A Cluster has a call for each slot, and a request over several slots is split. One thread: that of the
// loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/loop.h"
#include "redis/alarms.h"
#include "redis/client.h"
#include "stores/redis/script_call.h"
#include "stores/redis/split_ask.h"
#include "stores/store.h"

namespace sluice::redis_store {

class RedisStore final : public stores::Store, private net::Deferred, private ScriptCallOwner, private PartSender {
 public:
  struct Options {
    std::string prefix = "sluice";
    std::string channel{};  // gets the names of buckets of which others must hear; empty: nobody listens
    bool is_cluster = false;
    int64_t most_gathering_ms = 5;
  };

  // Both must outlive it. It goes after close(), and after the turn of the loop that called it, if the loop still runs.
  RedisStore(net::Loop& loop, redis::Client& client, Options options);

  // kPending, or kUnavailable while Redis is away.
  stores::Progress ask(stores::Ask& ask) override;

  // Closes the client. Nothing is asked any more, and whoever waits is told so. REQUIRES: not from within on_answer().
  void close();

  // For any thread.
  const Unreadable& unreadable() const { return unreadable_; }

  // What every connection must begin with: see redis::Options::preamble.
  static std::string load_command();

 private:
  using Slots = std::array<uint16_t, kMaxTakes>;

  void on_turn_end() override;
  void on_done(ScriptCall& call) override;
  void on_done(SplitAsk& split) override { free_splits_.push_back(&split); }
  void send_part(stores::Ask& part, uint16_t slot, int64_t since_ns) override;

  // Of a server that has no slots all are kAnySlot.
  ScriptCall*& open_call(uint16_t slot) { return open_[is_cluster_ ? slot : 0]; }
  void add(stores::Ask& ask, uint16_t slot, int64_t since_ns);
  stores::Progress ask_cluster(stores::Ask& ask, int64_t since_ns);
  void send(ScriptCall& call, uint16_t slot);
  void send_open();
  void on_gathered();
  void defer();
  ScriptCall& free_call();
  SplitAsk& free_split();

  net::Loop& loop_;
  redis::Client& client_;
  const bool is_cluster_;
  Unreadable unreadable_;
  const ScriptTerms terms_;
  const int64_t most_gathering_ns_;
  redis::Alarm gathered_;
  std::vector<ScriptCall*> open_;     // to be sent at the end of this turn, by slot; nullptr: none
  std::vector<uint16_t> open_slots_;  // of these
  int64_t opened_ns_ = 0;             // when the last of these was, or whoever asks in it began to wait
  bool is_gathered_ = false;          // what is open waits no longer for what is under way
  std::vector<ScriptCall*> refused_;  // to be told so then
  bool is_deferred_ = false;
  size_t under_way_ = 0;  // calls
  std::string name_;
  std::vector<std::unique_ptr<ScriptCall>> calls_;
  std::vector<ScriptCall*> free_calls_;
  std::vector<std::unique_ptr<SplitAsk>> splits_;
  std::vector<SplitAsk*> free_splits_;
};

}  // namespace sluice::redis_store
