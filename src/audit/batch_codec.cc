#include "audit/batch_codec.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace sluice::audit {
namespace {

class Encoder {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    bytes += value;
  }
  void text(const std::optional<std::string>& value) {
    number(static_cast<uint8_t>(value.has_value()));
    if (value) text(std::string_view(*value));
  }
  void number(const std::optional<int64_t>& value) {
    number(static_cast<uint8_t>(value.has_value()));
    if (value) number(*value);
  }

  std::string bytes;
};

// Once something is missing everything else is too.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof(value));
    if (is_good_) std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::string text() { return std::string(take(number<uint32_t>())); }
  std::optional<std::string> optional_text() { return number<uint8_t>() != 0 ? std::optional(text()) : std::nullopt; }
  std::optional<int64_t> optional_number() {
    return number<uint8_t>() != 0 ? std::optional(number<int64_t>()) : std::nullopt;
  }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view take(size_t size) {
    is_good_ = is_good_ && size <= rest_.size();
    if (!is_good_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

void encode(Encoder& out, const Violation& row) {
  out.text(std::string_view(row.bucket_key));
  out.text(row.user_id);
  out.text(row.ip_address);
  out.text(row.endpoint);
  out.number(row.requested_at_us);
  out.number(row.last_at_us);
  out.number(row.tokens_at_time);
  out.number(row.cost);
  out.number(row.count);
  out.number(row.rule_id);
  out.text(std::string_view(row.policy));
  out.text(std::string_view(row.rule));
  out.text(std::string_view(row.reason));
  out.number(static_cast<uint8_t>(row.is_shadow));
}

Violation decode_row(Decoder& in) {
  Violation row;
  row.bucket_key = in.text();
  row.user_id = in.optional_text();
  row.ip_address = in.optional_text();
  row.endpoint = in.optional_text();
  row.requested_at_us = in.number<int64_t>();
  row.last_at_us = in.number<int64_t>();
  row.tokens_at_time = in.number<double>();
  row.cost = in.number<double>();
  row.count = in.number<uint64_t>();
  row.rule_id = in.optional_number();
  row.policy = in.text();
  row.rule = in.text();
  row.reason = in.text();
  row.is_shadow = in.number<uint8_t>() != 0;
  return row;
}

}  // namespace

std::string encode(const Batch& batch) {
  const Tally tally = Tally::of(batch);
  Encoder out;
  out.number(tally.rows);
  out.number(tally.rejections);
  out.number(batch.number);
  out.text(std::string_view(batch.writer));
  for (const Violation& row : batch.violations) encode(out, row);
  return std::move(out.bytes);
}

std::optional<Batch> decode(std::string_view bytes) {
  Decoder in(bytes);
  Tally tally;
  tally.rows = in.number<uint64_t>();
  tally.rejections = in.number<uint64_t>();
  Batch batch;
  batch.number = in.number<int64_t>();
  batch.writer = in.text();
  for (uint64_t i = 0; i < tally.rows && in.is_good(); ++i) batch.violations.push_back(decode_row(in));
  if (!in.is_at_end() || !(Tally::of(batch) == tally)) return std::nullopt;
  return batch;
}

std::optional<Tally> decode_tally(std::string_view bytes) {
  Decoder in(bytes);
  Tally tally;
  tally.rows = in.number<uint64_t>();
  tally.rejections = in.number<uint64_t>();
  if (!in.is_good()) return std::nullopt;
  return tally;
}

}  // namespace sluice::audit
