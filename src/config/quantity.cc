#include "config/quantity.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "documents/wording.h"

namespace sluice::config {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  int64_t size;
};

// The first of each size is the one that is written.
constexpr Unit kByteUnits[] = {
    {"gib", int64_t{1} << 30},
    {"g", int64_t{1} << 30},
    {"gb", int64_t{1} << 30},
    {"mib", 1 << 20},
    {"m", 1 << 20},
    {"mb", 1 << 20},
    {"kib", 1 << 10},
    {"k", 1 << 10},
    {"kb", 1 << 10},
    {"b", 1},
    {"", 1},
};
constexpr Unit kTimeUnits[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

struct Part {
  int64_t number;
  std::string unit;
};

// Takes a number and the letters behind it from the front of `text`.
std::optional<Part> take_part(std::string_view& text) {
  Part part{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), part.number);
  if (error != std::errc() || part.number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  if (text.size() > 1 && text[0] == ' ') text.remove_prefix(1);
  while (!text.empty() && is_letter(text[0])) {
    part.unit += text[0];
    text.remove_prefix(1);
  }
  return part;
}

template <size_t kCount>
const Unit* find_unit(const Unit (&units)[kCount], std::string_view name) {
  const auto* unit = std::find_if(units, units + kCount, [&](const Unit& row) { return row.name == name; });
  return unit == units + kCount ? nullptr : unit;
}

Problem no_duration(std::string_view text) {
  const bool is_number =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return {"must be a time such as 500ms, 75s or 1h, but is " + (text.empty() ? "empty" : documents::quote(text)),
          is_number ? "a unit is missing: write " + std::string(text.substr(0, 20)) + "s for seconds" : ""};
}

}  // namespace

std::variant<Bytes, Problem> parse_bytes(std::string_view text) {
  std::string_view rest = text;
  auto part = take_part(rest);
  int64_t count = 0;
  if (part) std::transform(part->unit.begin(), part->unit.end(), part->unit.begin(), lower);
  const Unit* unit = part && rest.empty() ? find_unit(kByteUnits, part->unit) : nullptr;
  if (unit == nullptr || __builtin_mul_overflow(part->number, unit->size, &count)) {
    return Problem{"must be a number of bytes such as 65536, 64KiB or 1GiB, but is " +
                       (text.empty() ? std::string("empty") : documents::quote(text)),
                   ""};
  }
  return Bytes{static_cast<uint64_t>(count)};
}

std::string text_of(Bytes bytes) {
  constexpr struct {
    std::string_view name;
    int shift;
  } kWritten[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (const auto& unit : kWritten) {
    const uint64_t whole = bytes.count >> unit.shift;
    if (whole > 0 && whole << unit.shift == bytes.count) return std::to_string(whole) + std::string(unit.name);
  }
  return std::to_string(bytes.count);
}

std::variant<milliseconds, Problem> parse_duration(std::string_view text) {
  if (text == "0") return milliseconds(0);
  int64_t sum = 0;
  int64_t last_size = INT64_MAX;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto part = take_part(rest);
    const Unit* unit = part ? find_unit(kTimeUnits, part->unit) : nullptr;
    int64_t size = 0;
    if (unit == nullptr || unit->size >= last_size || __builtin_mul_overflow(part->number, unit->size, &size) ||
        __builtin_add_overflow(sum, size, &sum)) {
      return no_duration(text);
    }
    last_size = unit->size;
  }
  if (text.empty()) return no_duration(text);
  return milliseconds(sum);
}

std::string text_of(milliseconds duration) {
  std::string text;
  int64_t rest = duration.count();
  for (const Unit& unit : kTimeUnits) {
    if (rest < unit.size) continue;
    text += std::to_string(rest / unit.size) + std::string(unit.name);
    rest %= unit.size;
  }
  return text.empty() ? "0" : text;
}

}  // namespace sluice::config
