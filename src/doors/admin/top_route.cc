#include "doors/admin/top_route.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "doors/json_writer.h"
#include "doors/query_string.h"

namespace sluice::doors::admin {
namespace {

struct Wish {
  TopBy by = TopBy::kRequests;
  size_t limit = kTopDefault;
};

std::optional<std::string> read_wish(std::string_view query, Wish& wish) {
  for (const auto& [name, value] : parse_query(query)) {
    if (name == "by") {
      if (value != "requests" && value != "rejections") {
        return "by must be requests or rejections, but is '" + value + "'";
      }
      wish.by = value == "requests" ? TopBy::kRequests : TopBy::kRejections;
    } else if (name == "limit") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), wish.limit);
      const bool is_number = error == std::errc() && end == value.data() + value.size();
      if (!is_number || wish.limit < 1 || wish.limit > kTopMost) {
        return "limit must be a number from 1 to " + std::to_string(kTopMost) + ", but is '" + value + "'";
      }
    } else {
      return "there is no parameter '" + name + "': by and limit are";
    }
  }
  return std::nullopt;
}

int64_t rounded(double count) { return std::llround(count); }

void write_key(JsonWriter& json, const telemetry::HeavyHitter& key) {
  json.begin_object();
  json.name("key");
  json.string(key.name);
  json.name("is_cut");
  json.boolean(key.is_cut);
  json.name("count");
  json.integer(rounded(key.count));
  json.name("error");
  json.integer(rounded(key.error));
  json.end_object();
}

}  // namespace

void send_top(KeyCensus& census, const http::Request& request, http::Response& response) {
  Wish wish;
  if (const auto fault = read_wish(request.target.query, wish)) return response.send_fault(400, *fault);
  const TopList list = census.top(wish.by, wish.limit);
  std::string& text = response.text();
  JsonWriter json(text);
  json.begin_object();
  json.name("by");
  json.string(wish.by == TopBy::kRequests ? "requests" : "rejections");
  json.name("half_life_ms");
  json.integer(telemetry::TopKeys::kHalfLifeMs);
  json.name("total");
  json.integer(rounded(list.total));
  json.name("keys");
  json.begin_array();
  for (const telemetry::HeavyHitter& key : list.keys) write_key(json, key);
  json.end_array();
  json.end_object();
  response.send({200, http::kJsonMediaType, {}, text});
}

}  // namespace sluice::doors::admin
