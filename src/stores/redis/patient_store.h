// Makes a store that answers later one that answers at once, for whoever asks on a fiber: the fiber waits, its thread
// does not. One loop's; its thread alone, but for its making.
#pragma once

#include "net/fibers.h"
#include "stores/store.h"

namespace sluice::redis_store {

class PatientStore final : public stores::Store {
 public:
  // Before anybody asks. Both must outlive the last question, and all that was asked is answered before the fibers end.
  void attach(net::Fibers& fibers, stores::Store& next) {
    fibers_ = &fibers;
    next_ = &next;
  }

  // kUnavailable before it is attached, and where the loop ends meanwhile. REQUIRES: on a fiber.
  stores::Progress ask(stores::Ask& ask) override;
  bool waits() const override { return true; }

 private:
  net::Fibers* fibers_ = nullptr;
  stores::Store* next_ = nullptr;
};

}  // namespace sluice::redis_store
