#include "redis/subscriber.h"

#include "redis/alarms.h"
#include "redis/backoff.h"
#include "redis/greeting.h"
#include "redis/router.h"
#include "redis/wire.h"

namespace sluice::redis {
namespace {

// How often a server is asked whether it is still there; it has so long to answer.
constexpr int64_t kTickNs = 1000 * kNsPerMs;
constexpr int64_t kFindingNs = 5000 * kNsPerMs;

}  // namespace

class Subscriber::Ear final : private WireOwner {
 public:
  Ear(Client& client, std::string channel, ChannelListener& listener)
      : client_(client),
        channel_(std::move(channel)),
        listener_(listener),
        greeting_(client.options_.place.credentials, 0, Greeting::Role::kAny, {}),
        alarm_(*client.alarms_, [this] { on_alarm(); }) {
    alarm_.set(monotonic_ns());
  }
  ~Ear() {
    alarm_.cancel();
    hang_up();
  }

  bool is_live() const { return is_live_; }
  const std::string& why() const { return why_; }

 private:
  void on_alarm() {
    if (wire_ == nullptr) return connect();
    const bool has_moved = client_.options_.place.kind != Kind::kCluster && client_.router_->some_server() != address_;
    if (has_moved) return lose("the server is another one now");
    if (!is_live_ || is_waiting_) return lose(std::string(wire_->what_is_missing()) + " in time");
    is_waiting_ = true;
    std::string ping;
    append_command(ping, {"PING"});
    wire_->append(ping);
    alarm_.set(monotonic_ns() + kTickNs);
  }

  void connect() {
    const auto server = client_.router_->some_server();
    if (!server) return alarm_.set(monotonic_ns() + backoff_.next_ns());
    address_ = *server;
    greeted_ = 0;
    alarm_.set(monotonic_ns() + kFindingNs);
    const Options& options = client_.options_;
    WireOwner& owner = *this;
    const Dial dial{address_, options.place.is_encrypted ? options.tls : nullptr, options.tls_name};
    wire_ = std::make_unique<Wire>(client_.loop_, dial, owner);
    wire_->start();
  }

  void on_dialling() override { alarm_.set(monotonic_ns() + client_.options_.connect_ms * kNsPerMs); }

  void on_connected() override {
    std::string bytes = greeting_.bytes();
    append_command(bytes, {"SUBSCRIBE", channel_});
    wire_->append(bytes);
  }

  void on_wire_reply(const Reply& reply) override {
    if (greeted_ < greeting_.count()) {
      const std::string why = greeting_.objection(greeted_++, reply);
      if (!why.empty()) lose(why);
      return;
    }
    const auto parts = reply.elements();
    if (parts.empty()) return lose("the server refuses the channel: '" + std::string(reply.text()) + "'");
    is_waiting_ = false;
    const std::string_view word = parts[0].text();
    if (word == "subscribe") return become_live();
    if (word == "message" && parts.size() == 3) listener_.on_message(parts[2].text());
  }

  void on_wire_lost(const std::string& why) override { lose(why); }

  void become_live() {
    is_live_ = true;
    is_waiting_ = false;
    backoff_.reset();
    alarm_.set(monotonic_ns() + kTickNs);
    listener_.on_live(true);
  }

  void lose(const std::string& why) {
    hang_up();
    why_ = to_text(address_) + ": " + why;
    alarm_.set(monotonic_ns() + backoff_.next_ns());
    if (!is_live_) return;
    is_live_ = false;
    listener_.on_live(false);
  }

  void hang_up() {
    if (wire_ == nullptr) return;
    wire_->close();
    client_.loop_.retire(std::move(wire_));
  }

  Client& client_;
  const std::string channel_;
  ChannelListener& listener_;
  const Greeting greeting_;
  Alarm alarm_;
  Backoff backoff_;
  std::unique_ptr<Wire> wire_;
  Address address_;
  std::string why_ = "no server is known yet";
  size_t greeted_ = 0;
  bool is_live_ = false;
  bool is_waiting_ = false;  // for an answer to PING
};

Subscriber::Subscriber(Client& client, std::string channel, ChannelListener& listener)
    : ear_(std::make_unique<Ear>(client, std::move(channel), listener)) {}

Subscriber::~Subscriber() = default;

bool Subscriber::is_live() const { return ear_->is_live(); }

const std::string& Subscriber::why() const { return ear_->why(); }

}  // namespace sluice::redis
