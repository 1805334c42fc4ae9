#include "doors/violation_query.h"

#include <charconv>

#include "audit/cut_text.h"
#include "config/quantity.h"
#include "documents/utc_time.h"
#include "rules/address.h"

namespace sluice::doors {
namespace {

constexpr const char* kNames = "user_id, ip, key, endpoint, rule_id, shadow, since, until, limit and after";

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string must_be(std::string_view name, const std::string& what, std::string_view value) {
  return std::string(name) + " must be " + what + ", but is '" + std::string(value.substr(0, 100)) + "'";
}

// A time, or how long ago.
std::optional<int64_t> read_time(const std::string& text, int64_t now_us) {
  if (const auto time = documents::parse_time_us(text)) return time;
  const auto ago = config::parse_duration(text);
  if (!std::holds_alternative<std::chrono::milliseconds>(ago)) return std::nullopt;
  return now_us - std::get<std::chrono::milliseconds>(ago).count() * 1000;
}

// `1763269000000000-17`: when, and which of that time.
std::optional<audit::Cursor> read_cursor(std::string_view text) {
  const size_t dash = text.find('-', 1);
  audit::Cursor cursor;
  if (dash == text.npos || !read_number(text.substr(0, dash), cursor.requested_at_us) ||
      !read_number(text.substr(dash + 1), cursor.id)) {
    return std::nullopt;
  }
  return cursor;
}

class QueryFiller {
 public:
  QueryFiller(ViolationQuery& query, int64_t now_us) : query_(query), now_us_(now_us) {}

  // What is wrong with the parameter; empty where nothing is.
  std::string fill(const std::string& name, const std::string& value) {
    audit::ViolationFilter& filter = query_.filter;
    if (name == "user_id") return text(filter.user_id, value);
    if (name == "ip") return address(value);
    if (name == "key") return text(filter.bucket_key, value);
    if (name == "endpoint") return text(filter.endpoint, value);
    if (name == "rule_id") return rule(value);
    if (name == "shadow") return shadow(value);
    if (name == "since") return time(filter.since_us, name, value);
    if (name == "until") return time(filter.until_us, name, value);
    if (name == "limit") return limit(value);
    if (name == "after") return cursor(value);
    return "there is no parameter '" + name.substr(0, 100) + "': " + kNames + " are";
  }

 private:
  // As rows have it, however long it is.
  static std::string text(std::optional<std::string>& field, const std::string& value) {
    field = audit::CutText(value).text();
    return "";
  }

  // As it is written in rows, however it is spelt here.
  std::string address(const std::string& value) {
    const auto parsed = rules::Address::parse(value);
    if (!parsed) return must_be("ip", "an address", value);
    query_.filter.ip_address = parsed->text();
    return "";
  }

  std::string rule(const std::string& value) {
    int64_t id = 0;
    if (!read_number(value, id)) return must_be("rule_id", "a whole number", value);
    query_.filter.rule_id = id;
    return "";
  }

  std::string shadow(const std::string& value) {
    if (value != "true" && value != "false") return must_be("shadow", "true or false", value);
    query_.filter.is_shadow = value == "true";
    return "";
  }

  std::string time(std::optional<int64_t>& field, const std::string& name, const std::string& value) const {
    field = read_time(value, now_us_);
    return field ? "" : must_be(name, "a time such as 2026-01-31T12:00:00Z, or how long ago, such as 1h", value);
  }

  std::string limit(const std::string& value) {
    const bool fits = read_number(value, query_.limit) && query_.limit >= 1 && query_.limit <= ViolationQuery::kMost;
    return fits ? "" : must_be("limit", "a number from 1 to " + std::to_string(ViolationQuery::kMost), value);
  }

  std::string cursor(const std::string& value) {
    query_.after = read_cursor(value);
    return query_.after ? "" : must_be("after", "what `next` of the page before says", value);
  }

  ViolationQuery& query_;
  const int64_t now_us_;
};

}  // namespace

std::variant<ViolationQuery, std::string> read_violation_query(const QueryFields& fields, int64_t now_us) {
  ViolationQuery query;
  QueryFiller filler(query, now_us);
  for (const auto& [name, value] : fields) {
    if (std::string fault = filler.fill(name, value); !fault.empty()) return fault;
  }
  return query;
}

std::string cursor_text(const audit::Cursor& cursor) {
  return std::to_string(cursor.requested_at_us) + "-" + std::to_string(cursor.id);
}

}  // namespace sluice::doors
