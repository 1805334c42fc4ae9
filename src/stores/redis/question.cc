#include "stores/redis/question.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithms/pace.h"
#include "stores/redis/bucket_name.h"

namespace sluice::redis_store {

using stores::Action;
using stores::Ask;
using stores::BucketResult;

namespace {

// What the script calls an ask beside the names of Action: program.lua has them all.
constexpr double kTakeEach = 4;
constexpr double kTakeOnce = 5;
constexpr double kTakeAll = 6;
constexpr double kQuietUndo = 7;
constexpr double kUndo = 8;
constexpr size_t kDoublesOfALimit = 6;
constexpr size_t kDoublesOfATake = 3;
constexpr size_t kDoublesOfAnUndo = 5;
constexpr size_t kDoublesOfARun = 5;
constexpr size_t kDoublesOfAResult = 4;
constexpr double kNever = -1e16;
constexpr double kUnreadable = -2e16;
constexpr double kForeverUs = 9e15;
constexpr double kMostTimeUs = 0x1p53;
// Beyond any capacity all costs are alike; sums of 32 of them must not lose what matters.
constexpr int64_t kMostCost = int64_t{1} << 51;
constexpr double kMostRemaining = 1e16;
constexpr double kMostGiven = 0x1p52;

double number(int64_t value) { return static_cast<double>(value); }
double cost_of(const Take& take) { return number(std::min(take.cost.micros(), kMostCost)); }

// Redis knows no part of a microsecond: a window that has one lasts until the next.
double ceil_micros(Duration window) { return number(window.ns / 1000 + (window.ns % 1000 > 0)); }

// The rate that a bucket's pace stands for, which has at most 7 significant bits.
double rate_of_pace(uint16_t pace) {
  return std::ldexp(number(static_cast<int64_t>(pace::scaled_of(pace))),
                    pace::exponent_of(pace) - pace::kExponentBias - pace::kMantissaBits);
}

void append(std::string& out, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  char bytes[sizeof(bits)];
  for (size_t i = 0; i < sizeof(bits); ++i) bytes[i] = static_cast<char>(bits >> 8 * i);
  out.append(bytes, sizeof(bytes));
}

double read(std::string_view bytes, size_t index) {
  uint64_t bits = 0;
  for (size_t i = sizeof(bits); i-- > 0;)
    bits = bits << 8 | static_cast<unsigned char>(bytes[index * sizeof(bits) + i]);
  return std::bit_cast<double>(bits);
}

void append(std::string& out, const Limit& limit) {
  append(out, number(static_cast<int64_t>(limit.algorithm())));
  append(out, number(limit.capacity().micros()));
  if (is_bucket(limit.algorithm())) {
    append(out, number(limit.rate().numerator()));
    append(out, number(limit.rate().denominator()));
    append(out, limit.pace());
    append(out, rate_of_pace(limit.pace()));
  } else {
    append(out, ceil_micros(limit.window()));
    append(out, 0.0);
    append(out, limit.pace());
    append(out, ceil_micros(Duration(pace::window_ns(limit.pace()))));
  }
}

bool is_whole(double value, double least, double most) {
  return value >= least && value <= most && std::floor(value) == value;
}

bool is_result(std::string_view reply, size_t index) {
  const double wait = read(reply, index + 1);
  return is_whole(read(reply, index), 0, kMostRemaining) &&
         (wait == kNever || wait == kUnreadable || is_whole(wait, -1 - kForeverUs, kForeverUs)) &&
         is_whole(read(reply, index + 2), 0, kForeverUs) && is_whole(read(reply, index + 3), 0, kMostGiven);
}

Duration micros(double value) { return Duration::micros(static_cast<int64_t>(value)); }

BucketResult read_result(std::string_view reply, size_t index) {
  BucketResult result;
  Decision& decision = result.decision;
  decision.remaining = Tokens::micros(static_cast<int64_t>(read(reply, index)));
  const double wait = read(reply, index + 1);
  if (wait >= 0) {
    decision.delay = micros(wait);
  } else {
    decision.verdict = wait == kNever ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
    decision.retry_after = wait == kNever ? kForever : micros(-1 - wait);
  }
  result.reset_after = micros(read(reply, index + 2));
  return result;
}

// Whether the script may take its shorter way: all together, and each of another bucket that gives no delay.
bool are_token_buckets(const Ask& ask) {
  if (ask.action != Action::kTake || ask.together != ask.takes.size()) return false;
  for (size_t i = 0; i < ask.takes.size(); ++i) {
    const Take& take = ask.takes[i];
    if (take.limit->algorithm() >= Algorithm::kLeakyQueue) return false;
    for (const Take& other : ask.takes.first(i)) {
      if (other.part == take.part && other.key == take.key) return false;
    }
  }
  return true;
}

bool is_told(const Ask& ask) { return ask.action == Action::kTake || ask.action == Action::kPeek; }

}  // namespace

bool Question::add(Ask& ask) {
  if (takes_ + ask.takes.size() > kMaxTakes) return false;
  asks_.push_back(&ask);
  takes_ += ask.takes.size();
  if (is_told(ask)) told_ += ask.takes.size();
  const bool is_each_on_its_own = ask.together == 0 || ask.takes.size() == 1;
  if (ask.action == Action::kTake && is_each_on_its_own) {
    for (const Take& take : ask.takes) add_on_its_own(take);
    return true;
  }
  run_ = {};
  if (are_token_buckets(ask)) {
    body_.insert(body_.end(), {kTakeAll, static_cast<double>(ask.takes.size())});
    add_takes(ask.takes);
    return true;
  }
  if (ask.action == Action::kRefund && !ask.decided.empty()) {
    add_undo(ask);
    return true;
  }
  body_.push_back(number(static_cast<int64_t>(ask.action)));
  if (is_told(ask)) {
    body_.push_back(static_cast<double>(ask.together));
    body_.push_back(static_cast<double>(ask.takes.size() - ask.together));
  } else {
    body_.push_back(static_cast<double>(ask.takes.size()));
  }
  add_takes(ask.takes);
  return true;
}

void Question::add_on_its_own(const Take& take) {
  const size_t limit = place_of(*take.limit);
  const double cost = cost_of(take);
  const double bucket = number_of_bucket(take);
  if (run_.limit == limit && run_.cost == cost && run_.next_bucket == bucket) {
    ++body_[run_.count_at];
  } else {
    body_.insert(body_.end(), {kTakeEach, static_cast<double>(limit), cost, bucket, 1});
    run_ = {limit, cost, bucket, body_.size() - 1};
  }
  run_.next_bucket = bucket + 1;
}

void Question::add_takes(std::span<const Take> takes) {
  for (const Take& take : takes) {
    const double bucket = number_of_bucket(take);
    body_.insert(body_.end(), {bucket, static_cast<double>(place_of(*take.limit)), cost_of(take)});
  }
}

void Question::add_undo(const Ask& ask) {
  body_.insert(body_.end(), {ask.is_quiet ? kQuietUndo : kUndo, static_cast<double>(ask.takes.size())});
  for (size_t i = 0; i < ask.takes.size(); ++i) {
    add_takes(ask.takes.subspan(i, 1));
    const stores::Decided& decided = ask.decided[i];
    body_.insert(body_.end(), {number(decided.at_us), number(decided.given)});
  }
}

double Question::number_of_bucket(const Take& take) {
  const uint16_t number = buckets_.number_of(take.key, take.part);
  ++uses_[number];
  return number;
}

// Where the limit begins in the program, counted from 1. Most asks of a question are under a few limits, and next to
// others under the same one.
size_t Question::place_of(const Limit& limit) {
  const auto is_same = [&](const Limit* other) { return other == &limit || *other == limit; };
  auto known = std::find_if(limits_.rbegin(), limits_.rend(), is_same);
  if (known == limits_.rend()) {
    limits_.push_back(&limit);
    known = limits_.rbegin();
  }
  return 2 + kDoublesOfALimit * static_cast<size_t>(limits_.rend() - known - 1);
}

std::string_view Question::program() {
  program_.clear();
  append(program_, static_cast<double>(limits_.size()));
  for (const Limit* limit : limits_) append(program_, *limit);
  for (size_t at = 0; at < body_.size();) at = append_ask(at);
  return program_;
}

size_t Question::append_ask(size_t at) {
  const double action = body_[at];
  if (action == kTakeEach) {
    append_run(at);
    return at + kDoublesOfARun;
  }
  const bool has_takes_behind = action <= number(static_cast<int64_t>(Action::kPeek));
  const double takes = has_takes_behind ? body_[at + 1] + body_[at + 2] : body_[at + 1];
  const size_t first_take = at + (has_takes_behind ? 3 : 2);
  const bool is_undo = action == kUndo || action == kQuietUndo;
  const size_t end = first_take + (is_undo ? kDoublesOfAnUndo : kDoublesOfATake) * static_cast<size_t>(takes);
  for (size_t i = at; i < end; ++i) {
    const bool is_bucket = i >= first_take && (i - first_take) % kDoublesOfATake == 0;
    const bool is_used_again = action == kTakeAll && is_bucket && uses_[static_cast<size_t>(body_[i])] > 1;
    append(program_, is_used_again ? -body_[i] : body_[i]);
  }
  return end;
}

// Buckets that nothing else names are written at once, so that a run is cut where that changes.
void Question::append_run(size_t at) {
  const auto first = static_cast<size_t>(body_[at + 3]);
  const size_t end = first + static_cast<size_t>(body_[at + 4]);
  for (size_t start = first; start < end;) {
    const bool is_once = uses_[start] == 1;
    size_t next = start + 1;
    while (next < end && (uses_[next] == 1) == is_once) ++next;
    for (const double value : {is_once ? kTakeOnce : kTakeEach, body_[at + 1], body_[at + 2],
                               static_cast<double>(start), static_cast<double>(next - start)}) {
      append(program_, value);
    }
    start = next;
  }
}

bool Question::answer(std::string_view reply) {
  const size_t time_at = told_ * kDoublesOfAResult;
  if (reply.size() != (time_at + 1) * sizeof(double)) return false;
  for (size_t i = 0; i < told_; ++i) {
    if (!is_result(reply, i * kDoublesOfAResult)) return false;
  }
  if (!is_whole(read(reply, time_at), -kMostTimeUs, kMostTimeUs)) return false;
  const auto now_us = static_cast<int64_t>(read(reply, time_at));
  size_t index = 0;
  for (Ask* ask : asks_) {
    if (!is_told(*ask)) continue;
    for (size_t i = 0; i < ask->takes.size(); ++i, index += kDoublesOfAResult) {
      if (read(reply, index + 1) == kUnreadable) {
        note_unreadable(*ask, i);
        ask->results[i] = {};
        continue;
      }
      ask->results[i] = read_result(reply, index);
      if (!ask->decided.empty()) ask->decided[i] = {now_us, static_cast<int64_t>(read(reply, index + 3))};
    }
  }
  return true;
}

// One behind those that are taken together has no say, and leaves the ask decided.
void Question::note_unreadable(Ask& ask, size_t take) {
  unreadable_.clear();
  append_bucket_name(unreadable_, prefix_, ask.takes[take].key, ask.takes[take].part);
  if (ask.together > 0 && take >= ask.together) {
    ask.not_asked |= uint32_t{1} << take;
  } else if (undecided_.empty() || undecided_.back() != &ask) {
    undecided_.push_back(&ask);
  }
}

void Question::clear() {
  asks_.clear();
  undecided_.clear();
  unreadable_.clear();
  takes_ = 0;
  told_ = 0;
  buckets_.clear();
  uses_.fill(0);
  limits_.clear();
  body_.clear();
  run_ = {};
}

}  // namespace sluice::redis_store
