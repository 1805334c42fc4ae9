// Objects that are lent and come back, at most so many at a time. Made when first needed, kept until the pool goes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sluice::shortcuts {

template <class T>
class Pool {
 public:
  explicit Pool(size_t most) : most_(most) {}

  // nullptr when all are lent.
  T* get() {
    if (free_.empty() && all_.size() >= most_) return nullptr;
    return get_anyway();
  }

  // For what must not go without; as many as there are callers who wait.
  T* get_anyway() {
    if (free_.empty()) make();
    T* const lent = free_.back();
    free_.pop_back();
    return lent;
  }

  void put(T* lent) { free_.push_back(lent); }

  bool has_room() const { return !free_.empty() || all_.size() < most_; }
  size_t lent() const { return all_.size() - free_.size(); }

 private:
  void make() {
    all_.push_back(std::make_unique<T>());
    free_.reserve(all_.capacity());
    free_.push_back(all_.back().get());
  }

  const size_t most_;
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> free_;
};

}  // namespace sluice::shortcuts
