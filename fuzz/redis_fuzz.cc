// Any bytes of a server, however they are cut, are the same replies; and whatever a reply is taken for is within its
// bounds.
#include <stddef.h>
#include <stdint.h>

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "redis/error_reply.h"
#include "redis/place.h"
#include "redis/reader.h"
#include "redis/request.h"
#include "redis/slots_reply.h"
#include "stores/redis/bucket_name.h"
#include "stores/redis/question.h"

namespace {

namespace redis = sluice::redis;
namespace redis_store = sluice::redis_store;

constexpr std::string_view kPrefix = "sluice";
const redis::Address kAsked{"192.0.2.1", 6379, ""};

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void append_text(std::string& out, const redis::Reply& reply) {
  out += std::to_string(static_cast<int>(reply.type())) + ":" + std::to_string(reply.integer()) + ":";
  out += std::to_string(reply.text().size()) + ":";
  out += reply.text();
  out += "[";
  for (const redis::Reply& element : reply.elements()) append_text(out, element);
  out += "]";
}

void read_as_slots(const redis::Reply& reply) {
  const auto ranges = redis::read_slots(reply, kAsked);
  if (!ranges) return;
  for (const redis::SlotRange& range : *ranges) {
    require(range.first <= range.last && range.last < redis::kSlots);
    require(range.master.port != 0 && !range.master.host.empty());
  }
}

void read_as_error(std::string_view error) {
  redis::verdict_of(error);
  const auto redirection = redis::read_redirection(error, kAsked);
  if (!redirection) return;
  require(redirection->slot < redis::kSlots && redirection->to.port != 0 && !redirection->to.host.empty());
}

// A server does not send those, but their bytes are read by hand too.
void read_as_place(std::string_view text) {
  const auto read = redis::read_place(text);
  if (!std::holds_alternative<redis::Place>(read)) return require(!std::get<std::string>(read).empty());
  const auto& place = std::get<redis::Place>(read);
  require(redis::is_place(text) && !place.addresses.empty());
  for (const redis::Address& address : place.addresses) require(address.is_local() || address.port != 0);
  require(!redis::to_text(place).empty());
}

void read_as_news(std::string_view message) {
  const auto news = redis_store::parse_bucket_news(message, kPrefix);
  if (!news) return;
  std::string name;
  redis_store::append_bucket_name(name, kPrefix, news->bucket.key, news->bucket.part);
  require(message.find(name) != std::string_view::npos);
}

// Of two takes together, and one behind them.
void read_as_answer(std::string_view reply) {
  static const sluice::Limit limit = *sluice::Limit::token_bucket(10, 50);
  const std::array<sluice::Take, 3> takes{{{"a", &limit}, {"b", &limit}, {"c", &limit}}};
  std::array<sluice::stores::BucketResult, 3> results;
  std::array<sluice::stores::Decided, 3> decided;
  sluice::stores::Ask ask{sluice::stores::Action::kTake, takes, 2, sluice::Instant(), results};
  ask.decided = decided;
  redis_store::Question question(kPrefix);
  require(question.add(ask));
  if (!question.answer(reply)) return;
  for (const sluice::stores::BucketResult& result : results) {
    require(result.decision.remaining >= sluice::Tokens());
    require(result.decision.retry_after >= sluice::Duration() && result.decision.retry_after <= sluice::kForever);
    require(result.reset_after >= sluice::Duration() && result.reset_after <= sluice::kForever);
  }
}

// All replies as text, up to the first byte that is nonsense.
class Connection {
 public:
  // False once nothing more will come.
  bool feed(std::string_view bytes) {
    if (!reader_.feed(bytes)) return false;
    for (redis::Reply reply;;) {
      switch (reader_.next(reply)) {
        case redis::Reader::Next::kIncomplete: return true;
        case redis::Reader::Next::kNonsense: require(!reader_.complaint().empty()); return false;
        case redis::Reader::Next::kReply: take(reply);
      }
    }
  }

  std::string replies;

 private:
  void take(const redis::Reply& reply) {
    append_text(replies, reply);
    read_as_slots(reply);
    if (reply.is_error()) read_as_error(reply.text());
    if (!reply.is_text()) return;
    read_as_place(reply.text());
    read_as_news(reply.text());
    read_as_answer(reply.text());
  }

  redis::Reader reader_;
};

}  // namespace

// The first byte says how to cut the rest.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Connection whole, cut;
  whole.feed(bytes);
  uint64_t random = data[0] * 0x9e3779b97f4a7c15U | 1;
  for (size_t at = 0; at < bytes.size();) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const size_t piece = 1 + (random >> 40) % ((data[0] & 1) != 0 ? 4 : 64);
    if (!cut.feed(bytes.substr(at, piece))) break;
    at += piece;
  }
  require(whole.replies == cut.replies);
  return 0;
}
