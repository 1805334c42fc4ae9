// Asks collected into one call of the script, and its reply made their results. Used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/limit.h"
#include "stores/redis/bucket_names.h"
#include "stores/store.h"

namespace sluice::redis_store {

// Decided in the order in which they were added, each ask in one step. To be sent as
//   EVALSHA script_sha1() names().size() names()... program() CHANNEL
// where CHANNEL gets the name of every bucket that is refunded or reset, or goes on at a faster pace; empty: none does.
// Keeps its memory when it is cleared: a question that has been as large before allocates nothing.
class Question {
 public:
  static constexpr size_t kMaxTakes = BucketNames::kMax;

  // REQUIRES: no brace in the prefix, and that it outlives this.
  explicit Question(std::string_view prefix) : prefix_(prefix), buckets_(prefix) {}

  // False when there is no room for all its takes: it goes into the next question. The ask must stay where it is, with
  // all it points to, until it is answered or this is cleared. REQUIRES: at most Store::kMaxTakes takes.
  [[nodiscard]] bool add(stores::Ask& ask);

  bool is_empty() const { return asks_.empty(); }
  std::span<stores::Ask* const> asks() const { return asks_; }

  // The buckets, each once, until more is added.
  std::span<const std::string_view> names() { return buckets_.all(); }
  // The bytes behind them, until more is added.
  std::string_view program();

  // Writes the results of all asks. False for a reply that the script cannot have given; then nothing was written.
  [[nodiscard]] bool answer(std::string_view reply);
  // Of these, asks that met a bucket whose state cannot be read: they took nothing, and their results mean nothing.
  std::span<stores::Ask* const> undecided() const { return undecided_; }
  // The last such bucket by its name in Redis, those of takes behind others included; empty: there was none.
  std::string_view unreadable() const { return unreadable_; }

  void clear();

 private:
  // Takes that each are one bucket on its own, under one limit, at one cost, of buckets that follow one another.
  struct Run {
    size_t limit = 0;  // 0: none
    double cost = 0;
    double next_bucket = 0;
    size_t count_at = 0;  // in body_
  };

  void add_on_its_own(const Take& take);
  void add_takes(std::span<const Take> takes);
  void add_undo(const stores::Ask& ask);
  double number_of_bucket(const Take& take);
  size_t append_ask(size_t at);
  void append_run(size_t at);
  size_t place_of(const Limit& limit);
  void note_unreadable(stores::Ask& ask, size_t take);

  const std::string_view prefix_;
  std::vector<stores::Ask*> asks_;
  std::vector<stores::Ask*> undecided_;
  std::string unreadable_;
  size_t takes_ = 0;
  size_t told_ = 0;  // takes that the reply tells of
  BucketNames buckets_;
  std::array<uint16_t, kMaxTakes + 1> uses_{};  // of each bucket by its number, in all asks
  std::vector<const Limit*> limits_;
  std::vector<double> body_;  // the asks, as the script reads them
  Run run_;
  std::string program_;
};

}  // namespace sluice::redis_store
