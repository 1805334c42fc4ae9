#include "stores/fleet/loop_store.h"

#include "stores/redis/bucket_name.h"

namespace sluice::fleet {
namespace {

// A request that waits for others to join it has most of its time left for Redis.
constexpr int64_t kShareOfGathering = 4;

redis_store::RedisStore::Options store_options(const Terms& terms, const std::string& channel) {
  return {terms.prefix, channel, terms.redis.place.kind == redis::Kind::kCluster,
          terms.redis.request_ms / kShareOfGathering};
}

}  // namespace

std::variant<std::unique_ptr<LoopStore>, std::string> LoopStore::create(net::Loop& loop, Clock& clock,
                                                                        const Terms& terms, bool is_first) {
  redis::Options options = terms.redis;
  options.preamble.push_back(redis_store::RedisStore::load_command());
  auto made = redis::Client::create(loop, options);
  if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
  auto& client = std::get<std::unique_ptr<redis::Client>>(made);
  return std::unique_ptr<LoopStore>(new LoopStore(loop, clock, terms, std::move(client), is_first));
}

LoopStore::LoopStore(net::Loop& loop, Clock& clock, const Terms& terms, std::unique_ptr<redis::Client> client,
                     bool is_first)
    : loop_(loop),
      prefix_(terms.prefix),
      channel_(terms.prefix + ":forget"),
      has_deny_cache_(terms.deny_cache),
      client_(std::move(client)),
      redis_(loop, *client_, store_options(terms, channel_)),
      leases_(redis_, clock),
      denials_(leases_, clock) {
  // Until news can come.
  denials_.set_enabled(false);
  if (is_first) peers_ = std::make_unique<redis_store::Peers>(loop, *client_, terms.prefix, terms.server_name);
}

LoopStore::~LoopStore() = default;

void LoopStore::arrive() {
  // Also without a deny cache: a reset elsewhere drops leases here.
  subscriber_ = std::make_unique<redis::Subscriber>(*client_, channel_, static_cast<redis::ChannelListener&>(*this));
  if (peers_ != nullptr) peers_->start();
  on_time(loop_.now_ms());
}

void LoopStore::give_back() {
  leases_.give_all_back();
  if (peers_ != nullptr) peers_->leave();
}

void LoopStore::leave() {
  subscriber_.reset();
  loop_.timers().cancel(*this);
  redis_.close();
}

void LoopStore::on_message(std::string_view message) {
  const auto news = redis_store::parse_bucket_news(message, prefix_);
  if (!news) return;
  denials_.forget(news->bucket.key, news->bucket.part);
  if (news->is_reset) leases_.drop(news->bucket.key, news->bucket.part);
}

void LoopStore::on_live(bool is_live) {
  denials_.forget_all();
  denials_.set_enabled(is_live && has_deny_cache_);
  // A reset may have been missed meanwhile.
  if (is_live && was_live_) leases_.drop_all();
  was_live_ |= is_live;
}

// With every tick of the loop's wheel, which is 64 ms.
void LoopStore::on_time(int64_t now_ms) {
  leases_.sweep();
  loop_.timers().set(*this, now_ms + 1);
}

}  // namespace sluice::fleet
