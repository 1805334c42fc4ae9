// The values of one request, each read at most once: nothing is parsed, decoded or verified twice.
//
// A value that is empty counts as missing; so does one longer than kLongestValue where a bucket would be named after
// it. Of several headers, query parameters, cookies or attributes of one name the first counts that is not empty.
// Reused, a reader allocates nothing once it has grown. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/bucket_key.h"
#include "rules/claims.h"
#include "rules/client_address.h"
#include "rules/request.h"
#include "rules/source_table.h"

namespace sluice::rules {

// As long as the name of a host can be, with a dot at its end.
inline constexpr size_t kLongestHost = 254;

// What a set of rules needs to read requests. Immutable.
struct ReadingPlan {
  SourceTable sources;
  TrustedProxies trusted_proxies;
  ForwardedHeader forwarded_header = ForwardedHeader::kXForwardedFor;
};

class Reader {
 public:
  // What became of the bearer token.
  enum class Token : uint8_t { kNotAsked, kNone, kNobodyToAsk, kRefused, kGood };

  // Forgets the request before. All that is given must live as long as values are read; `claims` may be nullptr.
  void begin(const ReadingPlan& plan, const Request& request, const Now& now, ClaimSource* claims);

  // Empty: there is none.
  std::string_view value(SourceId id) {
    const Slot& slot = slots_[id];
    return slot.round == round_ ? slot.value : read(id);
  }
  // Empty: there is none, or none that can be part of a bucket's key.
  std::string_view key_value(SourceId id) {
    const std::string_view all = value(id);
    return all.size() <= kLongestValue ? all : std::string_view();
  }
  // Of any length; never empty.
  std::string_view path() { return path_.empty() ? read_path() : path_; }
  const Client& client() { return has_client_ ? client_ : read_client(); }
  // One that need be no source of the plan. Of any length.
  std::string_view attribute(std::string_view name) const;

  // Reads all values of a kind that has names; what was found is then in named().
  void read_named(KeyKind kind);
  std::span<const SourceId> named() const { return named_; }

  Token token() const { return token_; }

 private:
  struct Slot {
    uint64_t round = 0;
    std::string_view value;
  };
  // "2001:db8::/64" at its longest.
  using AddressText = std::array<char, Address::kLongestText + 4>;

  std::string_view read(SourceId id);
  std::string_view read_path();
  const Client& read_client();
  std::string_view read_address(SourceId id);
  std::string_view read_method();
  std::string_view read_host();
  const Claims* read_claims();
  std::optional<std::string_view> bearer_token() const;
  std::string_view keep(SourceId id, std::string_view value);
  void keep_first(SourceId id, std::string_view value);
  bool mark_read(KeyKind kind);

  const ReadingPlan* plan_ = nullptr;
  const Request* request_ = nullptr;
  int64_t unix_seconds_ = 0;
  ClaimSource* claims_ = nullptr;

  uint64_t round_ = 0;  // of which request a slot is
  std::vector<Slot> slots_;
  std::vector<SourceId> named_;
  uint32_t kinds_read_ = 0;
  std::string_view path_;  // empty: not read yet
  bool has_client_ = false;
  Client client_;
  Token token_ = Token::kNotAsked;

  std::string path_memory_;
  std::string method_memory_;
  std::array<char, kLongestHost> host_memory_;
  std::vector<AddressText> address_memory_;
};

}  // namespace sluice::rules
