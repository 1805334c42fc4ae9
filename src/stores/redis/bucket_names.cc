#include "stores/redis/bucket_names.h"

#include <functional>

#include "stores/redis/bucket_name.h"

namespace sluice::redis_store {

uint16_t BucketNames::number_of(std::string_view key, uint32_t part) {
  const size_t start = starts_.back();
  append_bucket_name(text_, prefix_, key, part);
  const std::string_view added = std::string_view(text_).substr(start);
  size_t place = std::hash<std::string_view>()(added) % places_.size();
  for (; places_[place] != 0; place = (place + 1) % places_.size()) {
    if (name(places_[place]) != added) continue;
    text_.resize(start);
    return places_[place];
  }
  starts_.push_back(text_.size());
  places_[place] = static_cast<uint16_t>(starts_.size() - 1);
  return places_[place];
}

std::span<const std::string_view> BucketNames::all() {
  all_.clear();
  for (uint16_t number = 1; number < starts_.size(); ++number) all_.push_back(name(number));
  return all_;
}

void BucketNames::clear() {
  text_.clear();
  starts_.resize(1);
  places_.fill(0);
}

}  // namespace sluice::redis_store
