#include "cli/quantities.h"

#include <fmt/format.h>

#include <iterator>

namespace sluice::cli {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kMicroDecimals = 6;
constexpr int kShortDigits = 4;

}  // namespace

std::string decimal(Ratio ratio, int decimals, Rounding rounding) {
  int64_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  const Wide denominator = static_cast<Wide>(ratio.denominator);
  Wide scaled = static_cast<Wide>(ratio.numerator) * static_cast<Wide>(scale);
  if (rounding == Rounding::kUp) scaled += denominator - 1;
  scaled /= denominator;
  const auto whole = static_cast<uint64_t>(scaled / static_cast<Wide>(scale));
  const auto rest = static_cast<uint64_t>(scaled % static_cast<Wide>(scale));
  if (rest == 0) return fmt::format("{}", whole);
  std::string text = fmt::format("{}.{:0{}}", whole, rest, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string exact_millis(Duration duration) { return decimal({duration.ns, 1'000'000}, kMicroDecimals); }

std::string exact_tokens(Tokens tokens) { return decimal({tokens.micros(), Tokens::kMicrosPerToken}, kMicroDecimals); }

std::string short_duration(Duration duration, Rounding rounding) {
  if (duration.ns <= 0) return "0s";
  const TimeUnit* unit = std::begin(kTimeUnits);
  while (duration.ns < unit->ns) ++unit;
  int decimals = kShortDigits - 1;
  for (int64_t whole = duration.ns / unit->ns; whole >= 10 && decimals > 0; whole /= 10) --decimals;
  return decimal({duration.ns, unit->ns}, decimals, rounding) + unit->name;
}

std::string short_tokens(Tokens tokens) {
  constexpr int64_t kTooLongToSpell = 10'000'000;
  if (tokens.floor() >= kTooLongToSpell) return fmt::format("{:.4g}", tokens.as_double());
  return tokens.floor() > 0 ? decimal({tokens.micros(), Tokens::kMicrosPerToken}, 2) : exact_tokens(tokens);
}

std::string short_rate(Rate rate) {
  struct Per {
    const char* unit;
    int64_t seconds;
  };
  constexpr Per kPer[] = {{"s", 1}, {"min", 60}, {"h", 3'600}, {"d", 86'400}};
  const Per* per = std::begin(kPer);
  // Multiplies only while the rate is below 1, so its numerator is small.
  while (per != std::end(kPer) - 1 && rate.numerator() * per->seconds < rate.denominator()) ++per;
  return fmt::format("{:.6g}/{}", rate.as_double() * static_cast<double>(per->seconds), per->unit);
}

}  // namespace sluice::cli
