// Work that may wait without its thread waiting: each piece runs on a stack of its own, and where it waits the thread
// goes on with others. So code that asks somebody far away reads as if the answer came at once. For one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "net/loop.h"

namespace sluice::net {

class Fiber;

// A piece of work. Must stay where it is until it has ended.
class Task {
 public:
  // On a fiber. Of those that run or wait at the same time, each has another seat; seats are numbered from 0.
  virtual void run(size_t seat) = 0;
  // It has ended, and its fiber is free for others. On the loop's own stack.
  virtual void on_end() = 0;

 protected:
  ~Task() = default;
};

class Fibers final : private Deferred {
 public:
  struct Options {
    size_t most = 512;                       // at the same time; further tasks wait for one of them to end
    size_t stack_bytes = size_t{256} << 10;  // of addresses: memory is taken as it is used
  };

  // The loop must outlive it.
  Fibers(Loop& loop, Options options);
  explicit Fibers(Loop& loop) : Fibers(loop, Options()) {}
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Runs it now, until it ends or waits; or later, if too many do. REQUIRES: not on a fiber.
  void run(Task& task);

  // The fiber that runs just now; nullptr on the loop's own stack.
  Fiber* current() const { return current_; }
  // Lets the thread go on with others until wake(). False: everything ends, and nobody will come to wake it.
  // REQUIRES: on a fiber.
  bool wait();
  // It goes on at the end of this turn. REQUIRES: it waits, and is woken once.
  void wake(Fiber& fiber);

  // From now on nothing waits: those that do go on at once, and end.
  void end_all();

  size_t waiting() const { return waiting_; }

 private:
  void on_turn_end() override;
  Fiber& free_fiber();
  void start(Task& task);
  void enter(Fiber& fiber);

  Loop& loop_;
  const Options options_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;
  std::vector<Fiber*> woken_;
  std::deque<Task*> queue_;
  Fiber* current_ = nullptr;
  size_t waiting_ = 0;
  bool is_ending_ = false;
};

}  // namespace sluice::net
