#include "redis/sentinel_router.h"

#include <algorithm>
#include <charconv>

namespace sluice::redis {
namespace {

constexpr int64_t kIntervalNs = 500 * kNsPerMs;
constexpr int64_t kShortestNs = 100 * kNsPerMs;

// host, port
std::optional<Address> read_address(const Reply& reply) {
  const auto parts = reply.elements();
  if (parts.size() != 2) return std::nullopt;
  const std::string_view port = parts[1].text();
  uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_number = error == std::errc() && end == port.data() + port.size() && number != 0;
  if (!is_number || parts[0].text().empty()) return std::nullopt;
  return Address{std::string(parts[0].text()), number, ""};
}

}  // namespace

SentinelRouter::SentinelRouter(const Surroundings& surroundings, Dispatch& dispatch)
    : around_(surroundings),
      dispatch_(dispatch),
      greeting_(around_.options.place.sentinel_credentials, 0, Greeting::Role::kAny, {}),
      inquiry_(dispatch, {"SENTINEL", "get-master-addr-by-name", around_.options.place.master},
               [this](const Link& asked, const Reply* reply) { on_answer(asked, reply); }),
      alarm_(around_.alarms, [this] { on_alarm(); }) {}

void SentinelRouter::start() { go_to_next(); }

void SentinelRouter::close() {
  is_closed_ = true;
  alarm_.cancel();
  if (sentinel_ != nullptr) retire(around_.loop, std::move(sentinel_));
  const std::unique_ptr<SingleRouter> master = std::move(master_);
  if (master != nullptr) master->close();
}

void SentinelRouter::ask_soon() {
  if (!is_closed_) alarm_.set_if_earlier(std::max(monotonic_ns(), asked_ns_ + kShortestNs));
}

void SentinelRouter::on_alarm() {
  const int64_t now_ns = monotonic_ns();
  if (inquiry_.is_under_way()) return alarm_.set(now_ns + kShortestNs);
  asked_ns_ = now_ns;
  alarm_.set(now_ns + kIntervalNs);
  if (wants_another_ || !sentinel_->is_up() || !inquiry_.ask(*sentinel_)) go_to_next();
}

void SentinelRouter::go_to_next() {
  if (sentinel_ != nullptr) retire(around_.loop, std::move(sentinel_));
  wants_another_ = false;
  const auto& addresses = around_.options.place.addresses;
  sentinel_ = std::make_unique<Link>(around_, addresses[next_++ % addresses.size()], greeting_);
  // If it does not come up, the next one is tried.
  alarm_.set(monotonic_ns() + std::max(kIntervalNs, around_.options.connect_ms * kNsPerMs));
  sentinel_->start();
}

void SentinelRouter::on_change(Link& link) {
  if (is_closed_) return;
  const bool is_sentinel = &link == sentinel_.get();
  if (is_sentinel && link.is_up()) {
    asked_ns_ = monotonic_ns();
    inquiry_.ask(link);
    return;
  }
  if (is_sentinel) {
    if (master_ == nullptr) why_ = "the sentinel " + to_text(link.address()) + ": " + link.status().why;
    ask_soon();
  } else if (!link.is_up()) {
    ask_soon();
  }
}

void SentinelRouter::on_answer(const Link& asked, const Reply* reply) {
  if (is_closed_) return;
  const auto master = reply != nullptr ? read_address(*reply) : std::nullopt;
  if (master) {
    why_.clear();
    follow(*master);
  } else if (reply != nullptr) {
    why_ = "the sentinel " + to_text(asked.address()) + " does not know the master '" + around_.options.place.master +
           "'" + (reply->is_error() ? ": " + std::string(reply->text()) : "");
  }
  // While the master is away one sentinel may know less than others.
  wants_another_ = !master || !master_->is_available();
  if (wants_another_) ask_soon();
  dispatch_.update_status();
}

void SentinelRouter::follow(const Address& master) {
  if (master_ != nullptr && master_->some_server() == master) return;
  if (master_ != nullptr) master_->close();
  master_ = std::make_unique<SingleRouter>(around_, master);
  master_->start();
}

std::optional<Address> SentinelRouter::some_server() const {
  return master_ != nullptr ? master_->some_server() : std::nullopt;
}

std::vector<const Link*> SentinelRouter::links() const {
  return master_ != nullptr ? master_->links() : std::vector<const Link*>();
}

}  // namespace sluice::redis
