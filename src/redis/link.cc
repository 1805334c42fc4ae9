#include "redis/link.h"

namespace sluice::redis {
namespace {

constexpr int kMostTimeouts = 5;
constexpr int kMostRefusals = 5;
// So many times its time a command may be without an answer while others time out.
constexpr int64_t kSilence = 3;
constexpr int64_t kFindingNs = 5000 * kNsPerMs;
// So long after the last refusal a command that is served is a sign that there will be no more.
constexpr int64_t kCalmNs = 1500 * kNsPerMs;
// A refusal that comes so long after another has nothing to do with it.
constexpr int64_t kRefusalsApartNs = 3000 * kNsPerMs;
// A connection that was up for so long did not fail at once.
constexpr int64_t kLongNs = 2000 * kNsPerMs;
constexpr std::string_view kAsking = "*1\r\n$6\r\nASKING\r\n";

// For the loop's list of what is to be destroyed.
class Keeper final : public net::Watcher {
 public:
  explicit Keeper(std::unique_ptr<Link> link) : link_(std::move(link)) {}
  void on_ready(uint32_t) override {}

 private:
  std::unique_ptr<Link> link_;
};

}  // namespace

Link::Link(const Surroundings& surroundings, Address address, const Greeting& greeting)
    : around_(surroundings),
      address_(std::move(address)),
      greeting_(greeting),
      alarm_(surroundings.alarms, [this] { on_alarm(); }) {}

void Link::start() { connect(); }

bool Link::send(Request& request, Ask ask_how) {
  if (!accepts_ || queue_.size() >= around_.options.most_under_way) return false;
  const int64_t now_ns = monotonic_ns();
  if (state_ == State::kConnecting) {
    request.link_ = this;
    request.ticket_ = queue_.push({&request, now_ns, 0, ask_how == Ask::kWithAsking});
    return true;
  }
  if (wire_->waiting() + request.command.size() > around_.options.most_waiting_bytes) return false;
  ask(request, ask_how, now_ns);
  return true;
}

void Link::ask(Request& request, Ask how, int64_t sent_ns) {
  if (how == Ask::kWithAsking) {
    queue_.push({nullptr, sent_ns, wire_->appended(), false});
    wire_->append(kAsking);
  }
  request.link_ = this;
  request.ticket_ = queue_.push({&request, sent_ns, wire_->appended(), false});
  wire_->append(request.command);
}

Failure Link::give_up(Request& request) {
  queue_.at(request.ticket_).request = nullptr;
  request.link_ = nullptr;
  if (state_ == State::kConnecting) return Failure::kNotSent;
  if (state_ == State::kUp) count_timeout();
  return Failure::kUnknown;
}

void Link::count_timeout() {
  ++timeouts_;
  const int64_t oldest_ns = monotonic_ns() - queue_.front().sent_ns;
  const bool is_silent = timeouts_ > 1 && oldest_ns > kSilence * around_.options.request_ms * kNsPerMs;
  if (timeouts_ < kMostTimeouts && !is_silent) return;
  is_breaker_closed_ = false;
  drop("the server did not answer " + std::to_string(timeouts_) + " commands in a row within " +
       std::to_string(around_.options.request_ms) + " ms");
}

void Link::connect() {
  greeted_ = 0;
  timeouts_ = 0;
  has_served_ = false;
  must_rest_ = false;
  alarm_.set(monotonic_ns() + kFindingNs);
  become(State::kConnecting);
  WireOwner& owner = *this;
  const Dial dial{address_, around_.options.place.is_encrypted ? around_.options.tls : nullptr,
                  around_.options.tls_name};
  wire_ = std::make_unique<Wire>(around_.loop, dial, owner);
  wire_->start();
}

void Link::on_dialling() { alarm_.set(monotonic_ns() + around_.options.connect_ms * kNsPerMs); }

void Link::on_connected() { wire_->append(greeting_.bytes()); }

void Link::on_wire_reply(const Reply& reply) {
  if (state_ == State::kConnecting) {
    if (const std::string why = greeting_.objection(greeted_, reply); !why.empty()) return fail(why);
    if (++greeted_ == greeting_.count()) come_up();
    return;
  }
  if (queue_.empty()) return drop("the server said what it was not asked");
  Request* const request = queue_.front().request;
  queue_.pop();
  if (request != nullptr) {
    timeouts_ = 0;
    has_served_ = true;
    request->link_ = nullptr;
    if (is_refusing_ && !reply.is_error()) note_served();
    around_.owner.on_link_reply(*this, *request, reply);
  }
  if (state_ == State::kLeaving && queue_.empty()) drop(why_);
}

void Link::come_up() {
  alarm_.cancel();
  up_ns_ = monotonic_ns();
  is_breaker_closed_ = true;
  around_.counts.connected.add();
  become(State::kUp);
  // Those that were taken on meanwhile, but for those whose time is up.
  const uint64_t end = queue_.end();
  while (queue_.first() != end) {
    const Asked asked = queue_.front();
    queue_.pop();
    if (asked.request == nullptr) continue;
    ask(*asked.request, asked.with_asking ? Ask::kWithAsking : Ask::kPlainly, asked.sent_ns);
  }
  around_.owner.on_link_change(*this);
}

void Link::leave(const std::string& why) {
  if (state_ != State::kUp) return;
  why_ = why;
  has_served_ = false;
  if (queue_.empty()) return drop(why);
  alarm_.set(monotonic_ns() + around_.options.request_ms * kNsPerMs);
  become(State::kLeaving);
}

// Who tries it again after a rest needs one more refusal to leave it.
void Link::count_refusal(const std::string& why) {
  const int64_t now_ns = monotonic_ns();
  if (now_ns - refused_ns_ > kRefusalsApartNs) {
    refusals_ = 0;
    backoff_.reset();
  }
  refused_ns_ = now_ns;
  if (++refusals_ < kMostRefusals) return;
  refusals_ = kMostRefusals - 1;
  must_rest_ = is_refusing_ = true;
  leave(why);
}

void Link::note_served() {
  if (monotonic_ns() - refused_ns_ < kCalmNs) return;
  is_refusing_ = false;
  around_.owner.on_link_change(*this);
}

void Link::on_alarm() {
  switch (state_) {
    case State::kAway: return connect();
    case State::kConnecting: return fail(std::string(wire_->what_is_missing()) + " in time");
    case State::kLeaving: return drop(why_);
    case State::kUp:
    case State::kClosed: return;
  }
}

void Link::on_wire_lost(const std::string& why) {
  if (state_ == State::kConnecting) return fail(why);
  drop(state_ == State::kLeaving ? why_ : why);
}

// It was being made.
void Link::fail(const std::string& why) {
  const Lost lost = hang_up();
  around_.counts.failed_connects.add();
  why_ = why;
  wait_a_while();
  tell(lost);
}

// It was up.
void Link::drop(const std::string& why) {
  const bool was_good = !must_rest_ && (has_served_ || monotonic_ns() - up_ns_ > kLongNs);
  const Lost lost = hang_up();
  around_.counts.lost.add();
  why_ = why;
  if (was_good) {
    backoff_.reset();
    connect();
    around_.owner.on_link_change(*this);
  } else {
    wait_a_while();
  }
  tell(lost);
}

void Link::wait_a_while() {
  is_breaker_closed_ = false;
  alarm_.set(monotonic_ns() + backoff_.next_ns());
  become(State::kAway);
  around_.owner.on_link_change(*this);
}

Link::Lost Link::hang_up() {
  Lost lost;
  const bool was_up = is_up() || state_ == State::kLeaving;
  for (; !queue_.empty(); queue_.pop()) {
    const Asked& asked = queue_.front();
    if (asked.request == nullptr) continue;
    asked.request->link_ = nullptr;
    const bool is_sent = was_up && asked.begin < wire_->written();
    lost.push_back({asked.request, is_sent ? Failure::kUnknown : Failure::kNotSent});
  }
  alarm_.cancel();
  if (wire_ == nullptr) return lost;
  wire_->close();
  around_.loop.retire(std::move(wire_));
  return lost;
}

void Link::tell(const Lost& lost) {
  for (const auto& [request, failure] : lost) around_.owner.on_link_lost(*request, failure);
}

void Link::close() {
  if (state_ == State::kClosed) return;
  const Lost lost = hang_up();
  become(State::kClosed);
  tell(lost);
}

void Link::become(State state) {
  const bool was_up = is_up();
  state_ = state;
  accepts_ = is_up() || (state == State::kConnecting && is_breaker_closed_);
  if (is_up() != was_up) since_ = std::chrono::system_clock::now();
}

ServerStatus Link::status() const {
  Breaker breaker = Breaker::kClosed;
  if (!is_breaker_closed_) breaker = state_ == State::kConnecting ? Breaker::kHalfOpen : Breaker::kOpen;
  return {address_, breaker, is_up(), why_, since_};
}

void retire(net::Loop& loop, std::unique_ptr<Link> link) {
  link->close();
  loop.retire(std::make_unique<Keeper>(std::move(link)));
}

}  // namespace sluice::redis
