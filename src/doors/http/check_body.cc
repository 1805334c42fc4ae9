#include "doors/http/check_body.h"

#include <algorithm>
#include <array>

namespace sluice::doors::http {
namespace {

using documents::Kind;
using documents::TapeValue;

constexpr std::array<std::string_view, 6> kNames = {"key", "rate", "burst", "cost", "request", "ttl_ms"};
enum Name : size_t { kKey, kRate, kBurst, kCost, kRequest, kTime, kUnknown };

size_t index_of(std::string_view name) {
  return static_cast<size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

std::string wrong_kind(std::string_view field, const char* expected, Kind found) {
  return std::string(field) + " must be " + expected + ", but is " + documents::name_of(found);
}

std::string wrong_number(std::string_view field, const char* expected, std::string_view found) {
  return std::string(field) + " must be " + expected + ", but is " + std::string(found);
}

}  // namespace

// Reads one body; what is wrong first is told.
class CheckBodyReader {
 public:
  CheckBodyReader(CheckBody& body, CheckBody::Use use) : body_(body), use_(use) {}

  std::optional<std::string> read(TapeValue value) {
    body_.named_ = {};
    body_.time_ = CheckBody::kUsualTime;
    if (value.kind() != Kind::kObject) return wrong_kind("the body", "an object", value.kind());
    if (!value.each([this](TapeValue member) { return keep(member); })) return std::move(fault_);
    if ((members_[kRequest] != nullptr ? read_request() : read_named()) && read_time()) return std::nullopt;
    return std::move(fault_);
  }

 private:
  bool keep(TapeValue member) {
    const size_t name = index_of(member.name());
    if (name == kUnknown || (name == kTime && use_ == CheckBody::Use::kCheck)) {
      return fail("there is no field '" + std::string(member.name()) +
                  "': a body has key, rate, burst and cost, or request and cost");
    }
    if (members_[name]) return fail("field '" + std::string(member.name()) + "' stands twice");
    members_[name] = &member.entry();
    if (name == kRequest) request_ = member;
    return true;
  }

  bool read_request() {
    for (const size_t name : {kKey, kRate, kBurst}) {
      if (members_[name] == nullptr) continue;
      return fail("a body has either request or key, rate and burst, but this has request and " +
                  std::string(kNames[name]));
    }
    if (const auto fault = describe_request(*request_, body_.memory_)) {
      const bool names_request = fault->message.starts_with("request ");
      return fail(names_request ? fault->message : "request: " + fault->message);
    }
    Tokens cost;
    if (members_[kCost] == nullptr) return true;
    if (body_.memory_.request.cost) return fail("cost must stand once, but stands beside request and in it");
    if (!read_cost(cost)) return false;
    body_.memory_.request.cost = cost;
    return true;
  }

  bool read_named() {
    for (const size_t name : {kKey, kRate, kBurst}) {
      if (members_[name] == nullptr) {
        return fail(std::string(kNames[name]) + " is missing: a body has key, rate and burst, or request");
      }
    }
    if (members_[kKey]->kind != Kind::kString) return fail(wrong_kind("key", "a string", members_[kKey]->kind));
    body_.named_.key = members_[kKey]->text;
    return read_limit() && (members_[kCost] == nullptr || read_cost(body_.named_.cost));
  }

  bool read_limit() {
    for (const size_t name : {kRate, kBurst}) {
      const Kind kind = members_[name]->kind;
      if (kind != Kind::kNumber) return fail(wrong_kind(kNames[name], "a number", kind));
    }
    const auto rate = Rate::per_second(members_[kRate]->number);
    if (!rate) return fail(wrong_number("rate", "tokens per second, from 1e-9 to 1e9", members_[kRate]->text));
    const auto capacity = capacity_of(members_[kBurst]->number);
    if (!capacity) return fail(wrong_number("burst", "a number from 1e-6 to 1e9", members_[kBurst]->text));
    const auto limit = Limit::token_bucket(*rate, *capacity);
    if (!limit) return fail("rate and burst are no limit together");
    body_.limit_ = *limit;
    body_.named_.limit = &body_.limit_;
    return true;
  }

  bool read_cost(Tokens& cost) {
    const documents::TapeEntry& entry = *members_[kCost];
    if (entry.kind != Kind::kNumber) return fail(wrong_kind("cost", "a number", entry.kind));
    const auto read = cost_of(entry.number);
    if (!read) return fail(wrong_number("cost", "a number above 0 and at most 1e12", entry.text));
    cost = *read;
    return true;
  }

  bool read_time() {
    const documents::TapeEntry* entry = members_[kTime];
    if (entry == nullptr) return true;
    if (entry->kind != Kind::kNumber) return fail(wrong_kind("ttl_ms", "a number", entry->kind));
    const double most = static_cast<double>(CheckBody::kLongestTime.ceil_millis());
    if (!(entry->number >= 1 && entry->number <= most)) {
      return fail(wrong_number("ttl_ms", "from 1 to 3600000", entry->text));
    }
    body_.time_ = Duration::millis(static_cast<int64_t>(entry->number));
    return true;
  }

  bool fail(std::string message) {
    fault_ = std::move(message);
    return false;
  }

  CheckBody& body_;
  const CheckBody::Use use_;
  std::array<const documents::TapeEntry*, kNames.size()> members_{};
  std::optional<TapeValue> request_;
  std::string fault_;
};

std::optional<std::string> CheckBody::read(TapeValue value, Use use) { return CheckBodyReader(*this, use).read(value); }

}  // namespace sluice::doors::http
