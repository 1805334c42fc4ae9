// Figures in the text format of Prometheus, version 0.0.4.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/histogram.h"

namespace sluice::telemetry {

struct Label {
  std::string_view name;
  std::string_view value;  // any bytes; what is not UTF-8 becomes U+FFFD
};
using Labels = std::span<const Label>;
using LabelList = std::initializer_list<Label>;

enum class FamilyType : uint8_t { kCounter, kGauge, kHistogram };

// Writes families one after another into a string, in the order they are asked for: what is the same twice is written
// the same twice. Names are ours, and checked by assertions; values of labels may come from anywhere. Not thread-safe.
class Exposition {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

  // HELP and TYPE; the samples that follow belong to it. REQUIRES: a name that was not begun before, no line end or
  // backslash but in `help`; counters end in `_total`.
  void family(std::string_view name, FamilyType type, std::string_view help);

  void sample(Labels labels, uint64_t value);
  void sample(Labels labels, double value);
  void sample(uint64_t value) { sample(Labels(), value); }
  void sample(double value) { sample(Labels(), value); }
  // Buckets in seconds, cumulative, with +Inf, then _sum and _count. REQUIRES: the family is a histogram.
  void histogram(Labels labels, const HistogramValues& values);

  // The same for labels in braces.
  void sample(LabelList labels, uint64_t value) { sample(span_of(labels), value); }
  void sample(LabelList labels, double value) { sample(span_of(labels), value); }
  void histogram(LabelList labels, const HistogramValues& values) { histogram(span_of(labels), values); }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  static Labels span_of(LabelList labels) { return {labels.begin(), labels.size()}; }
  void begin_sample(std::string_view suffix, Labels labels, std::string_view bound);

  std::string text_;
  std::string name_;
  FamilyType type_ = FamilyType::kGauge;
  std::vector<std::string> begun_;
};

// "NaN", "+Inf", "-Inf", or the shortest text that reads as the same number.
void append_number(std::string& out, double value);
void append_number(std::string& out, uint64_t value);

}  // namespace sluice::telemetry
