#include "audit/page.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "audit/cut_text.h"

namespace sluice::audit {
namespace {

// Below this nothing goes back: it would be touched again at once.
constexpr size_t kKept = size_t{1} << 20;

enum Text : size_t { kBucketKey, kUserId, kIpAddress, kEndpoint, kPolicy, kRule, kTexts };

std::optional<std::string> known(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

// What a row tells beside its count; the texts stand behind it.
struct Page::Record {
  int64_t first_us;
  double tokens;
  double cost;
  int64_t rule_id;
  const char* reason;
  uint32_t reason_size;
  uint32_t slot;
  std::array<uint16_t, kTexts> sizes;
  bool is_shadow;

  size_t size() const {
    size_t all = sizeof(Record);
    for (const uint16_t each : sizes) all += each;
    return (all + kAlignment - 1) & ~(kAlignment - 1);
  }
};

Page::Page(const Size& size)
    : most_rows_(std::max<uint32_t>(size.rows, 1)),
      mask_(std::bit_ceil(size_t{most_rows_} * 2) - 1),
      slot_memory_((mask_ + 1) * sizeof(Slot)),
      records_(std::max(std::min(size.bytes, size_t{UINT32_MAX} * kAlignment), sizeof(Record))),
      slots_(reinterpret_cast<Slot*>(slot_memory_.data())) {}

bool Page::add(Slot& slot, const Fingerprint& subject, int64_t at_us, const Rejection& rejection) {
  if (rows_ == most_rows_) return false;
  const std::array<CutText, kTexts> texts = {CutText(rejection.bucket_key), CutText(rejection.user_id),
                                             CutText(rejection.ip_address), CutText(rejection.endpoint),
                                             CutText(rejection.policy),     CutText(rejection.rule)};
  Record record{at_us,
                rejection.tokens,
                rejection.cost,
                rejection.rule_id,
                rejection.reason.data(),
                static_cast<uint32_t>(rejection.reason.size()),
                static_cast<uint32_t>(&slot - slots_),
                {},
                rejection.is_shadow};
  for (size_t i = 0; i < kTexts; ++i) record.sizes[i] = static_cast<uint16_t>(texts[i].size());
  if (record.size() > records_.size() - used_) return false;
  char* out = records_.data() + used_;
  std::memcpy(out, &record, sizeof(record));
  out += sizeof(record);
  for (const CutText& text : texts) out = text.copy_to(out);
  if (rows_ == 0) begin_us_ = at_us;
  slot = {subject.low, since_begin(at_us), 1};
  used_ += record.size();
  ++rows_;
  return true;
}

bool Page::read(size_t& position, Violation& row) const {
  if (position >= used_) return false;
  Record record;
  std::memcpy(&record, records_.data() + position, sizeof(record));
  const char* at = records_.data() + position + sizeof(record);
  std::array<std::string_view, kTexts> texts;
  for (size_t i = 0; i < kTexts; ++i) {
    texts[i] = {at, record.sizes[i]};
    at += record.sizes[i];
  }
  row.bucket_key = texts[kBucketKey];
  row.user_id = known(texts[kUserId]);
  row.ip_address = known(texts[kIpAddress]);
  row.endpoint = known(texts[kEndpoint]);
  row.policy = texts[kPolicy];
  row.rule = texts[kRule];
  row.reason.assign(record.reason, record.reason_size);
  row.requested_at_us = record.first_us;
  const Slot& slot = slots_[record.slot];
  row.last_at_us = std::max(record.first_us, begin_us_ + (int64_t{slot.last} << kUnitBits));
  row.tokens_at_time = record.tokens;
  row.cost = record.cost;
  row.count = slot.count;
  row.rule_id = record.rule_id > 0 ? std::optional(record.rule_id) : std::nullopt;
  row.is_shadow = record.is_shadow;
  position += record.size();
  return true;
}

void Page::clear() {
  peak_ = std::max(peak_, used_);
  const bool shrinks = peak_ > kKept && used_ < peak_ / 4;
  if (shrinks) {
    slot_memory_.give_back();
    records_.give_back();
    peak_ = 0;
  } else {
    for (size_t at = 0; at < used_;) {
      Record record;
      std::memcpy(&record, records_.data() + at, sizeof(record));
      slots_[record.slot].count = 0;
      at += record.size();
    }
  }
  rows_ = 0;
  used_ = 0;
}

}  // namespace sluice::audit
