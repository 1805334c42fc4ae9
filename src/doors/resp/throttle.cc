#include "doors/resp/throttle.h"

#include <cstring>

#include "doors/resp/number.h"

namespace sluice::doors::resp {
namespace {

// A wait that has no end is -1 in the reply.
int64_t seconds_of(Duration wait) { return wait >= kForever ? -1 : wait.ceil_seconds(); }

char* put_item(char* at, int64_t number) {
  *at = ':';
  char* const end = put_integer(at + 1, number);
  std::memcpy(end, "\r\n", 2);
  return end + 2;
}

struct ArgumentRule {
  const char* name;
  int64_t least;
};

// As they stand behind the key.
constexpr ArgumentRule kCellRules[] = {{"max_burst", 0}, {"count", 1}, {"period", 1}, {"quantity", 0}};
constexpr ArgumentRule kCrabRules[] = {{"max_burst", 1}, {"count", 1}, {"period", 1}, {"quantity", 0}};

// Long arguments are cut: an error is one line.
std::string shown(std::string_view argument) {
  constexpr size_t kShown = 32;
  std::string text = "'" + std::string(argument.substr(0, kShown));
  return text + (argument.size() > kShown ? "...'" : "'");
}

}  // namespace

bool read_throttle(std::span<const std::string_view> arguments, Dialect dialect, Throttle& throttle) {
  throttle.key = arguments[1];
  LimitNumbers& numbers = throttle.numbers;
  int64_t max_burst = 0;
  if (!read_integer(arguments[2], max_burst) || !read_integer(arguments[3], numbers.count) ||
      !read_integer(arguments[4], numbers.period)) {
    return false;
  }
  throttle.quantity = 1;
  if (arguments.size() > 5 && !read_integer(arguments[5], throttle.quantity)) return false;
  const bool is_cell = dialect == Dialect::kCell;
  if (max_burst < (is_cell ? 0 : 1) || max_burst == INT64_MAX) return false;
  numbers.capacity = max_burst + (is_cell ? 1 : 0);
  return numbers.count > 0 && numbers.period > 0 && throttle.quantity >= 0;
}

std::string throttle_fault(std::span<const std::string_view> arguments, Dialect dialect) {
  const auto rules = dialect == Dialect::kCell ? std::span(kCellRules) : std::span(kCrabRules);
  for (size_t i = 2; i < arguments.size(); ++i) {
    const ArgumentRule& rule = rules[i - 2];
    int64_t number = 0;
    if (!read_integer(arguments[i], number)) {
      return std::string("ERR ") + rule.name + " must be a whole number of at most 64 bits, but is " +
             shown(arguments[i]);
    }
    if (number < rule.least) {
      return std::string("ERR ") + rule.name + " must be at least " + std::to_string(rule.least) + ", but is " +
             std::to_string(number);
    }
  }
  return throttle_fault(Error{ErrorCode::kTooLarge, "capacity"});
}

std::string throttle_fault(const Error& error) {
  const std::string_view field = error.field;
  if (field == "capacity") return "ERR max_burst is too large: a bucket holds at most 1000000000 tokens";
  if (field == "period") return "ERR period is too long: at most 4611686018 seconds";
  return error.code == ErrorCode::kTooLarge
             ? "ERR count is too large for this period: at most 1000000000 tokens per second"
             : "ERR period is too long for this count: at least one token in 1000000000 seconds, and a full bucket in "
               "285 "
               "years";
}

char* put_throttle(char* at, Dialect dialect, int64_t capacity, const stores::BucketResult& result) {
  const Decision& decision = result.decision;
  const bool allowed = decision.allowed();
  std::memcpy(at, "*5\r\n", 4);
  at += 4;
  if (dialect == Dialect::kCell) {
    at = put_item(at, allowed ? 0 : 1);
    at = put_item(at, capacity);
    at = put_item(at, decision.remaining.floor());
    at = put_item(at, allowed ? -1 : seconds_of(decision.retry_after));
    return put_item(at, seconds_of(result.reset_after));
  }
  at = put_item(at, allowed ? 1 : 0);
  at = put_item(at, capacity);
  at = put_item(at, decision.remaining.floor());
  at = put_item(at, seconds_of(result.reset_after));
  return put_item(at, allowed ? 0 : seconds_of(decision.retry_after));
}

}  // namespace sluice::doors::resp
