#include "stores/redis/bucket_name.h"

#include <array>
#include <charconv>

namespace sluice::redis_store {
namespace {

constexpr std::string_view kBraces = "{}";
constexpr std::string_view kReset = "reset ";

}  // namespace

void append_bucket_name(std::string& out, std::string_view prefix, std::string_view key, uint32_t part) {
  std::array<char, 10> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), part).ptr;
  out.append(prefix).append(kBraces).append(digits.data(), end).append(1, ':').append(key);
}

std::optional<BucketName> parse_bucket_name(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (!name.starts_with(kBraces)) return std::nullopt;
  name.remove_prefix(kBraces.size());
  BucketName parsed;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), parsed.part);
  const auto digits = static_cast<size_t>(end - name.data());
  if (error != std::errc() || digits == name.size() || *end != ':') return std::nullopt;
  if (digits > 1 && name[0] == '0') return std::nullopt;
  parsed.key = name.substr(digits + 1);
  return parsed;
}

// A prefix may begin as news of a reset do: what is a name as it stands is one.
std::optional<BucketNews> parse_bucket_news(std::string_view message, std::string_view prefix) {
  if (const auto name = parse_bucket_name(message, prefix)) return BucketNews{*name, false};
  if (!message.starts_with(kReset)) return std::nullopt;
  const auto name = parse_bucket_name(message.substr(kReset.size()), prefix);
  return name ? std::optional(BucketNews{*name, true}) : std::nullopt;
}

}  // namespace sluice::redis_store
