#include "stores/redis/redis_store.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "stores/redis/bucket_name.h"
#include "stores/redis/script.h"

namespace sluice::redis_store {

using stores::Progress;

RedisStore::RedisStore(net::Loop& loop, redis::Client& client, Options options)
    : loop_(loop),
      client_(client),
      is_cluster_(options.is_cluster),
      terms_{client, std::move(options.prefix), std::move(options.channel), unreadable_},
      most_gathering_ns_(options.most_gathering_ms * redis::kNsPerMs),
      gathered_(client.alarms(), [this] { on_gathered(); }),
      open_(is_cluster_ ? redis::kSlots : 1) {}

std::string RedisStore::load_command() {
  std::string command;
  redis::append_command(command, {"SCRIPT", "LOAD", script_text()});
  return command;
}

Progress RedisStore::ask(stores::Ask& ask) {
  const int64_t since_ns = ask.since_ns != 0 ? ask.since_ns : redis::monotonic_ns();
  if (is_cluster_) return ask_cluster(ask, since_ns);
  if (!client_.is_available()) return Progress::kUnavailable;
  add(ask, redis::kAnySlot, since_ns);
  return Progress::kPending;
}

Progress RedisStore::ask_cluster(stores::Ask& ask, int64_t since_ns) {
  Slots slots{};
  for (size_t i = 0; i < ask.takes.size(); ++i) {
    name_.clear();
    append_bucket_name(name_, terms_.prefix, ask.takes[i].key, ask.takes[i].part);
    slots[i] = redis::slot_of(name_);
    const bool is_needed = ask.together == 0 || i < ask.together;
    if (is_needed && !client_.is_available(slots[i])) return Progress::kUnavailable;
  }
  const auto first = slots.begin();
  const auto end = first + static_cast<ptrdiff_t>(ask.takes.size());
  if (std::all_of(first, end, [&](uint16_t slot) { return slot == *first; })) {
    add(ask, *first, since_ns);
  } else {
    free_split().start(ask, std::span(slots).first(ask.takes.size()), since_ns);
  }
  return Progress::kPending;
}

void RedisStore::add(stores::Ask& ask, uint16_t slot, int64_t since_ns) {
  ScriptCall*& call = open_call(slot);
  if (call != nullptr && call->add(ask, since_ns)) return;
  if (call != nullptr) {
    send(*call, slot);
  } else {
    open_slots_.push_back(slot);
  }
  call = &free_call();
  if (!call->add(ask, since_ns)) std::abort();  // an empty one has room for any ask
  opened_ns_ = since_ns;
  if (!is_cluster_ && under_way_ > 0) gathered_.set_if_earlier(opened_ns_ + most_gathering_ns_);
  defer();
}

// At once: whoever asked may be told before the end of the turn, and what the part points to is gone then.
void RedisStore::send_part(stores::Ask& part, uint16_t slot, int64_t since_ns) {
  ScriptCall& call = free_call();
  if (!call.add(part, since_ns)) std::abort();
  send(call, slot);
}

void RedisStore::send(ScriptCall& call, uint16_t slot) {
  if (call.send(slot)) {
    ++under_way_;
    return;
  }
  refused_.push_back(&call);
  defer();
}

void RedisStore::defer() {
  if (is_deferred_) return;
  is_deferred_ = true;
  loop_.defer(*this);
}

void RedisStore::on_turn_end() {
  is_deferred_ = false;
  if (is_cluster_ || under_way_ == 0 || is_gathered_) send_open();
  // Who is told may have something given back, and that may be refused too.
  for (size_t i = 0; i < refused_.size(); ++i) refused_[i]->fail();  // NOLINT
  refused_.clear();
}

void RedisStore::send_open() {
  for (const uint16_t slot : open_slots_) send(*std::exchange(open_call(slot), nullptr), slot);
  open_slots_.clear();
  is_gathered_ = false;
}

// An alarm may be one that was set for a call that is gone.
void RedisStore::on_gathered() {
  if (open_slots_.empty()) return;
  const int64_t due_ns = opened_ns_ + most_gathering_ns_;
  if (redis::monotonic_ns() < due_ns) return gathered_.set(due_ns);
  is_gathered_ = true;
  defer();
}

// What was gathered meanwhile goes out at the end of the turn, with what those ask who were just told.
void RedisStore::on_done(ScriptCall& call) {
  free_calls_.push_back(&call);
  if (call.was_sent()) --under_way_;
  if (!is_cluster_ && !open_slots_.empty()) defer();
}

void RedisStore::close() {
  client_.close();
  on_turn_end();
}

ScriptCall& RedisStore::free_call() {
  if (free_calls_.empty()) {
    calls_.push_back(std::make_unique<ScriptCall>(terms_, static_cast<ScriptCallOwner&>(*this)));
    return *calls_.back();
  }
  ScriptCall& call = *free_calls_.back();
  free_calls_.pop_back();
  return call;
}

SplitAsk& RedisStore::free_split() {
  if (free_splits_.empty()) {
    splits_.push_back(std::make_unique<SplitAsk>(static_cast<PartSender&>(*this)));
    return *splits_.back();
  }
  SplitAsk& split = *free_splits_.back();
  free_splits_.pop_back();
  return split;
}

}  // namespace sluice::redis_store
