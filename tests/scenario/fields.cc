#include "scenario/fields.h"

#include <string_view>
#include <utility>
#include <vector>

namespace sluice::scenario {
namespace {

using nlohmann::json;

// What a Redis clock and a double of microseconds both hold exactly.
constexpr int64_t kMostMicros = (int64_t{1} << 53) - 1;

constexpr std::pair<std::string_view, int64_t> kUnitMicros[] = {
    {"us", 1}, {"ms", 1'000}, {"s", 1'000'000}, {"m", 60'000'000LL}, {"h", 3'600'000'000LL}, {"d", 86'400'000'000LL},
};

int64_t micros_of_unit(std::string_view unit) {
  for (const auto& [name, micros] : kUnitMicros) {
    if (name == unit) return micros;
  }
  return 0;
}

// Digits up to the first other character, at most `most` of them; -1 when there are none, or more.
int64_t read_digits(std::string_view& text, size_t most) {
  size_t length = 0;
  int64_t value = 0;
  for (; length < text.size() && text[length] >= '0' && text[length] <= '9'; ++length) {
    if (length == most) return -1;
    value = value * 10 + (text[length] - '0');
  }
  text.remove_prefix(length);
  return length == 0 ? -1 : value;
}

// The microseconds that a text such as "1.5s" says, or -1.
int64_t micros_from(std::string_view text) {
  const int64_t whole = read_digits(text, 16);
  if (whole < 0) return -1;
  int64_t fraction = 0;
  int64_t scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const size_t before = text.size();
    fraction = read_digits(text, 6);
    if (fraction < 0) return -1;
    for (size_t i = text.size(); i < before; ++i) scale *= 10;
  }
  const int64_t unit = micros_of_unit(text);
  if (unit == 0 || whole > kMostMicros / unit || fraction * unit % scale != 0) return -1;
  const int64_t micros = whole * unit + fraction * unit / scale;
  return micros <= kMostMicros ? micros : -1;
}

}  // namespace

json parse_strictly(const std::string& text, const std::string& where) {
  std::vector<std::set<std::string>> open_objects;
  const auto refuse_duplicates = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects.pop_back();
    if (event == json::parse_event_t::key && !open_objects.back().insert(parsed.get<std::string>()).second) {
      throw ScenarioError(where, "the field '" + parsed.get<std::string>() + "' stands twice in one object");
    }
    return true;
  };
  try {
    return json::parse(text, refuse_duplicates);
  } catch (const json::exception& error) {
    throw ScenarioError(where, std::string("is not JSON: ") + error.what());
  }
}

Duration duration_from(const json& value, const std::string& where) {
  int64_t micros = -1;
  if (value.is_string()) micros = micros_from(value.get_ref<const std::string&>());
  if (value.is_number_unsigned() && value.get<uint64_t>() <= static_cast<uint64_t>(kMostMicros)) {
    micros = value.get<int64_t>();
  }
  if (micros < 0) {
    throw ScenarioError(where,
                        "must be whole microseconds, as an integer or as text like \"1.5s\" (us, ms, s, m, h, d), "
                        "but is " +
                            value.dump(-1, ' ', true, json::error_handler_t::replace));
  }
  // Scenarios stay below the 292 years that a Duration of nanoseconds holds.
  return Duration::micros(micros);
}

Fields::Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) throw ScenarioError(where_, std::string("must be an object, but is ") + object.type_name());
}

std::string Fields::where(const std::string& name) const { return where_ + "." + name; }

bool Fields::has(const std::string& name) {
  known_.insert(name);
  return object_.contains(name);
}

const json& Fields::required(const std::string& name) {
  if (!has(name)) throw ScenarioError(where_, "the field '" + name + "' is missing");
  return object_.at(name);
}

std::string Fields::text(const std::string& name) {
  const json& value = required(name);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    throw ScenarioError(where(name), "must be a text that is not empty");
  }
  return value.get<std::string>();
}

std::string Fields::text_or(const std::string& name, const std::string& otherwise) {
  return has(name) ? text(name) : otherwise;
}

double Fields::number(const std::string& name) {
  const json& value = required(name);
  if (!value.is_number())
    throw ScenarioError(where(name), std::string("must be a number, but is ") + value.type_name());
  return value.get<double>();
}

double Fields::number_or(const std::string& name, double otherwise) { return has(name) ? number(name) : otherwise; }

int64_t Fields::integer(const std::string& name, int64_t least, int64_t most) {
  const json& value = required(name);
  // An unsigned beyond int64 would turn negative below, and is refused by `most` first.
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) &&
                    value.get<int64_t>() >= least && value.get<int64_t>() <= most;
  if (!fits) {
    throw ScenarioError(where(name),
                        "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value.get<int64_t>();
}

Duration Fields::duration(const std::string& name) { return duration_from(required(name), where(name)); }

void Fields::refuse_the_rest() const {
  for (const auto& [name, value] : object_.items()) {
    if (known_.contains(name)) continue;
    std::string known;
    for (const std::string& one : known_) known += (known.empty() ? "" : ", ") + one;
    throw ScenarioError(where_, "unknown field '" + name + "'; known here: " + known);
  }
}

}  // namespace sluice::scenario
