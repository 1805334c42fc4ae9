#include "redis/single_router.h"

#include <algorithm>

namespace sluice::redis {

SingleRouter::SingleRouter(const Surroundings& surroundings, const Address& address)
    : around_(surroundings),
      address_(address),
      greeting_(around_.options.place.credentials, around_.options.place.database, Greeting::Role::kMaster,
                around_.options.preamble) {
  for (size_t i = 0; i < std::max<size_t>(around_.options.connections, 1); ++i) {
    links_.push_back(std::make_unique<Link>(around_, address_, greeting_));
  }
}

void SingleRouter::start() {
  for (const auto& link : links_) link->start();
}

void SingleRouter::close() {
  // Those who are told may ask again: by then there is nobody.
  std::vector<std::unique_ptr<Link>> links = std::move(links_);
  links_.clear();
  for (auto& link : links) retire(around_.loop, std::move(link));
}

Link* SingleRouter::link_for(uint16_t) {
  for (size_t tries = links_.size(); tries > 0; --tries) {
    next_ = next_ + 1 < links_.size() ? next_ + 1 : 0;
    if (links_[next_]->is_available()) return links_[next_].get();
  }
  return nullptr;
}

bool SingleRouter::is_available() const {
  return std::any_of(links_.begin(), links_.end(), [](const auto& link) { return link->is_available(); });
}

std::vector<const Link*> SingleRouter::links() const {
  std::vector<const Link*> all;
  for (const auto& link : links_) all.push_back(link.get());
  return all;
}

}  // namespace sluice::redis
