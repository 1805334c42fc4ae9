// The arguments of SLUICE.CHECK and its like, as a request to the rules or as a bucket beside them. docs/resp.md has
// their grammar. One for each event loop, for its memory. Not thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doors/query_string.h"
#include "doors/request_json.h"
#include "limiter/worker.h"
#include "rules/request.h"

namespace sluice::doors::resp {

class CheckReader {
 public:
  // How much must be said of a bucket beside the rules: to fill it up, its key is enough.
  enum class Needs : uint8_t { kLimit, kKey };
  static constexpr Duration kUsualTime = Duration::seconds(60);

  // False if they are wrong: fault() says which, and what was expected. The first argument is the command's name.
  [[nodiscard]] bool read(std::span<const std::string_view> arguments, Needs needs);
  // `ERR ...`
  const std::string& fault() const { return fault_; }

  // Valid, as the two below, until the next read() and as long as the arguments.
  bool is_named() const { return key_.has_value(); }
  // REQUIRES: not is_named().
  const rules::Request& request() const { return described_ ? described_->request() : request_; }
  // REQUIRES: is_named().
  limiter::NamedBucket bucket() const { return {*key_, &limit_, request_.cost.value_or(kOneToken)}; }
  // TTL: how long a reservation lasts. For SLUICE.RESERVE alone.
  std::optional<Duration> time() const { return time_; }

 private:
  struct Word;
  static const Word kWords[];

  void clear();
  bool read_pairs(std::span<const std::string_view> arguments);
  bool read_json(std::string_view text);
  bool read_cost(std::string_view text);
  bool read_time(std::string_view text);
  bool make_limit(Needs needs);
  void read_query_of_path();
  bool fail(std::string what);

  rules::Request request_;
  std::vector<rules::Field> headers_;
  std::vector<rules::Field> query_;
  std::vector<rules::Field> attributes_;
  QueryFields query_of_path_;
  std::optional<DescribedRequest> described_;
  std::optional<std::string_view> key_;
  std::optional<Duration> time_;
  std::string_view rate_;
  std::string_view burst_;
  std::string_view rule_word_;   // the last word that speaks of a request to the rules
  std::string_view limit_word_;  // the last that speaks of a bucket beside them
  Limit limit_;
  std::string fault_;
};

}  // namespace sluice::doors::resp
