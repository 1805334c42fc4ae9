#include "net/fibers.h"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include "net/stack_switch.h"

namespace sluice::net {

namespace context = boost::context;

// A stack, and the task that is on it. Lives as long as its Fibers, for one task after another.
class Fiber {
 public:
  Fiber(size_t seat, size_t stack_bytes) : seat_(seat) {
    // Below it lies a page that nobody may touch: who runs out of stack is told so at once.
    context::protected_fixedsize_stack allocator(stack_bytes);
    const context::stack_context stack = allocator.allocate();
    mark_.set(static_cast<const char*>(stack.sp) - stack.size, stack.size);
    context_ = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), allocator,
                              [this](context::fiber&& loop) { return live(std::move(loop)); });
  }

  // Goes on with it until it waits or its task has ended. On the loop's stack.
  void enter() {
    mark_.leave_for(loop_mark_);
    context_ = std::move(context_).resume();
    loop_mark_.arrive_from(mark_);
  }
  // Back to the loop's stack, until it is entered again.
  void leave() {
    loop_mark_.leave_for(mark_);
    loop_ = std::move(loop_).resume();
    mark_.arrive_from(loop_mark_);
  }

  // Ends it for good. REQUIRES: it has no task.
  void end() {
    is_over_ = true;
    enter();
  }

  Task* task = nullptr;
  bool is_waiting = false;

 private:
  context::fiber live(context::fiber&& loop) {
    loop_ = std::move(loop);
    mark_.arrive_from(loop_mark_);
    while (!is_over_) {
      task->run(seat_);
      leave();
    }
    loop_mark_.leave_for_good();
    return std::move(loop_);
  }

  const size_t seat_;
  bool is_over_ = false;
  context::fiber context_;  // of this stack, while the loop's runs
  context::fiber loop_;     // of the loop's stack, while this one runs
  StackMark mark_;
  StackMark loop_mark_;
};

Fibers::Fibers(Loop& loop, Options options) : loop_(loop), options_(options) {}

Fibers::~Fibers() {
  end_all();
  for (Fiber* fiber : free_) fiber->end();
}

void Fibers::run(Task& task) {
  if (free_.empty() && fibers_.size() == options_.most) {
    queue_.push_back(&task);
  } else {
    start(task);
  }
}

void Fibers::start(Task& task) {
  Fiber& fiber = free_fiber();
  fiber.task = &task;
  enter(fiber);
}

// The one that was used last: its stack is at hand.
Fiber& Fibers::free_fiber() {
  if (free_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>(fibers_.size(), options_.stack_bytes));
    return *fibers_.back();
  }
  Fiber& fiber = *free_.back();
  free_.pop_back();
  return fiber;
}

void Fibers::enter(Fiber& fiber) {
  current_ = &fiber;
  fiber.enter();
  current_ = nullptr;
  if (fiber.is_waiting) return;
  Task* const ended = fiber.task;
  fiber.task = nullptr;
  free_.push_back(&fiber);
  ended->on_end();
}

bool Fibers::wait() {
  if (is_ending_) return false;
  Fiber& fiber = *current_;
  fiber.is_waiting = true;
  ++waiting_;
  fiber.leave();
  return !is_ending_;
}

void Fibers::wake(Fiber& fiber) {
  if (woken_.empty()) loop_.defer(*this);
  woken_.push_back(&fiber);
}

void Fibers::on_turn_end() {
  // Who goes on may wake others.
  for (size_t i = 0; i < woken_.size(); ++i) {
    woken_[i]->is_waiting = false;
    --waiting_;
    enter(*woken_[i]);
  }
  woken_.clear();
  while (!queue_.empty() && !free_.empty()) {
    Task& next = *queue_.front();
    queue_.pop_front();
    start(next);
  }
}

void Fibers::end_all() {
  is_ending_ = true;
  woken_.clear();
  for (const auto& fiber : fibers_) {
    if (!fiber->is_waiting) continue;
    fiber->is_waiting = false;
    --waiting_;
    enter(*fiber);
  }
  on_turn_end();
}

}  // namespace sluice::net
