// Asks the store of a loop from other threads, and waits for its answer. For those who have time: the admin door.
// Thread-safe.
#pragma once

#include <functional>

#include "stores/store.h"

namespace sluice::redis_store {

class PostedStore final : public stores::Store {
 public:
  // Runs a task on the loop's thread; may drop it. False: it did.
  using Post = std::function<bool(std::function<void()>)>;

  // Before anybody asks. `next` is of the loop's thread, and must live while tasks are run.
  void attach(Post post, stores::Store& next) {
    post_ = std::move(post);
    next_ = &next;
  }

  // kUnavailable if there is no answer within a second: the question may have been answered, or may be yet.
  stores::Progress ask(stores::Ask& ask) override;

 private:
  Post post_;
  stores::Store* next_ = nullptr;
};

}  // namespace sluice::redis_store
