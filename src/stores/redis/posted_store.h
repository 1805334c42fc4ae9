// Asks the store of a loop from other threads, and waits for its answer. For those who have time: the admin door.
// Thread-safe.
#pragma once

#include <functional>

#include "stores/store.h"

namespace sluice::redis_store {

class PostedStore final : public stores::Store {
 public:
  // Runs a task on the loop's thread; may drop it. `next` is of that thread.
  using Post = std::function<void(std::function<void()>)>;

  // Before anybody asks. `next` must outlive the loop.
  void attach(Post post, stores::Store& next) {
    post_ = std::move(post);
    next_ = &next;
  }

  // kUnavailable if there is no answer within a second.
  stores::Progress ask(stores::Ask& ask) override;

 private:
  Post post_;
  stores::Store* next_ = nullptr;
};

}  // namespace sluice::redis_store
