#include "redis/error_reply.h"

#include <array>
#include <charconv>

#include "redis/request.h"

namespace sluice::redis {
namespace {

struct Meaning {
  std::string_view word;
  Verdict verdict;
};

constexpr std::array kMeanings = {
    Meaning{"READONLY", Verdict::kElsewhere},   Meaning{"LOADING", Verdict::kElsewhere},
    Meaning{"MASTERDOWN", Verdict::kElsewhere}, Meaning{"NOAUTH", Verdict::kElsewhere},
    Meaning{"CLUSTERDOWN", Verdict::kUnable},   Meaning{"TRYAGAIN", Verdict::kLater},
    Meaning{"NOREPLICAS", Verdict::kUnable},    Meaning{"MISCONF", Verdict::kUnable},
    Meaning{"BUSY", Verdict::kUnable},          Meaning{"OOM", Verdict::kUnable},
    Meaning{"MOVED", Verdict::kMoved},          Meaning{"ASK", Verdict::kAsk},
};

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Verdict verdict_of(std::string_view error) {
  const std::string_view word = error.substr(0, error.find(' '));
  for (const Meaning& meaning : kMeanings) {
    if (word == meaning.word) return meaning.verdict;
  }
  return Verdict::kTell;
}

std::optional<Redirection> read_redirection(std::string_view error, const Address& asked) {
  const size_t first = error.find(' ');
  const size_t second = error.find(' ', first + 1);
  const size_t colon = error.rfind(':');
  if (first == std::string_view::npos || second == std::string_view::npos || colon == std::string_view::npos ||
      colon < second) {
    return std::nullopt;
  }
  const auto slot = read_number<uint16_t>(error.substr(first + 1, second - first - 1));
  const auto port = read_number<uint16_t>(error.substr(colon + 1));
  if (!slot || !port || *slot >= kSlots || *port == 0) return std::nullopt;
  const std::string_view host = error.substr(second + 1, colon - second - 1);
  const bool is_unsaid = host.empty() || host == "?";
  return Redirection{*slot, {is_unsaid ? asked.host : std::string(host), *port, ""}};
}

}  // namespace sluice::redis
