#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice {
namespace {

// What would be right. An empty field stands for every field that has no row of its own.
struct Sentence {
  std::string_view field;
  ErrorCode code;
  std::string_view text;
};

constexpr std::string_view kWindowRange =
    "must be between 1 millisecond and 36600 days, and its limit between 1e-9 and 1e9 tokens per second";

constexpr Sentence kSentences[] = {
    {"rate", ErrorCode::kTooSmall, "must be at least 1e-9 tokens per second"},
    {"rate", ErrorCode::kTooLarge, "must be at most 1e9 tokens per second"},
    {"capacity", ErrorCode::kTooSmall, "must be at least 0.000001 tokens"},
    {"capacity", ErrorCode::kTooLarge, "must be at most 1e9 tokens"},
    {"burst", ErrorCode::kTooSmall, "must be at least 0.000001 tokens"},
    {"burst", ErrorCode::kTooLarge, "must be at most 1e9 tokens"},
    {"cost", ErrorCode::kTooLarge, "must be at most 1e12 tokens"},
    {"period", ErrorCode::kTooLarge, "must be at most 146 years"},
    {"limits", ErrorCode::kTooSmall, "must name at least one limit"},
    {"limits", ErrorCode::kTooMany, "must name at most 32 limits"},
    {"takes", ErrorCode::kTooSmall, "must name at least one bucket"},
    {"takes", ErrorCode::kTooMany, "must name at most 32 buckets"},
    {"max_bytes", ErrorCode::kTooSmall, "must be at least 1048576 bytes"},
    {"max_bytes", ErrorCode::kTooLarge, "must be at most 128 GiB"},
    {"window", ErrorCode::kTooSmall, kWindowRange},
    {"window", ErrorCode::kTooLarge, kWindowRange},
    {"", ErrorCode::kNotFinite, "must be a finite number"},
    {"", ErrorCode::kNotPositive, "must be greater than 0"},
    {"", ErrorCode::kTooSmall, "is too small to be told from 0"},
    {"", ErrorCode::kTooLarge, "is too large to be counted exactly"},
    {"", ErrorCode::kTooMany, "has more items than one call may carry; split it into several calls"},
    {"", ErrorCode::kOutOfMemory, "needs more memory than there is; use fewer or smaller ones"},
};

std::string_view sentence_for(const Error& error) {
  for (const Sentence& row : kSentences) {
    if (row.code == error.code && (row.field.empty() || row.field == error.field)) return row.text;
  }
  return "is not valid";
}

}  // namespace

std::string describe(const Error& error) {
  std::string text(*error.field == '\0' ? "the value" : error.field);
  text += ' ';
  text += sentence_for(error);
  return text;
}

}  // namespace sluice
