#include "telemetry/exposition.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include "telemetry/utf8.h"

namespace sluice::telemetry {
namespace {

[[maybe_unused]] bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

const char* name_of(FamilyType type) {
  switch (type) {
    case FamilyType::kCounter: return "counter";
    case FamilyType::kGauge: return "gauge";
    case FamilyType::kHistogram: return "histogram";
  }
  return "untyped";
}

void append_help(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void append_label_value(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) {
      out += kReplacement;
    } else if (text[0] == '\\') {
      out += "\\\\";
    } else if (text[0] == '"') {
      out += "\\\"";
    } else if (text[0] == '\n') {
      out += "\\n";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
}

// Nanoseconds as seconds, exact and short: "0.0025".
std::string bound_text(uint64_t ns) {
  std::string text;
  append_number(text, static_cast<double>(ns) / 1e9);
  return text;
}

}  // namespace

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out.append(buffer, result.ptr);
}

void append_number(std::string& out, uint64_t value) {
  char buffer[24];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out.append(buffer, result.ptr);
}

void Exposition::family(std::string_view name, FamilyType type, std::string_view help) {
  assert(is_name(name));
  assert((type == FamilyType::kCounter) == name.ends_with("_total"));
  assert(std::find(begun_.begin(), begun_.end(), name) == begun_.end());
  begun_.emplace_back(name);
  name_ = name;
  type_ = type;
  text_ += "# HELP " + name_ + " ";
  append_help(text_, help);
  text_ += "\n# TYPE " + name_ + " " + name_of(type) + "\n";
}

void Exposition::sample(Labels labels, uint64_t value) {
  assert(type_ != FamilyType::kHistogram);
  begin_sample("", labels, "");
  append_number(text_, value);
  text_ += '\n';
}

void Exposition::sample(Labels labels, double value) {
  assert(type_ != FamilyType::kHistogram);
  begin_sample("", labels, "");
  append_number(text_, value);
  text_ += '\n';
}

void Exposition::histogram(Labels labels, const HistogramValues& values) {
  assert(type_ == FamilyType::kHistogram);
  static const auto kBoundTexts = [] {
    std::array<std::string, kBounds.size() + 1> texts;
    std::transform(kBounds.begin(), kBounds.end(), texts.begin(), bound_text);
    texts.back() = "+Inf";
    return texts;
  }();
  uint64_t count = 0;
  for (size_t i = 0; i < values.counts.size(); ++i) {
    count += values.counts[i];
    begin_sample("_bucket", labels, kBoundTexts[i]);
    append_number(text_, count);
    text_ += '\n';
  }
  begin_sample("_sum", labels, "");
  append_number(text_, static_cast<double>(values.sum_ns) / 1e9);
  text_ += '\n';
  begin_sample("_count", labels, "");
  append_number(text_, count);
  text_ += '\n';
}

void Exposition::begin_sample(std::string_view suffix, Labels labels, std::string_view bound) {
  assert(!name_.empty());
  text_ += name_;
  text_ += suffix;
  char separator = '{';
  for (const Label& label : labels) {
    assert(is_name(label.name) && label.name != "le");
    text_ += separator;
    text_ += label.name;
    text_ += "=\"";
    append_label_value(text_, label.value);
    text_ += '"';
    separator = ',';
  }
  if (!bound.empty()) {
    text_ += separator;
    text_ += "le=\"";
    text_ += bound;
    text_ += '"';
    separator = ',';
  }
  text_ += separator == ',' ? "} " : " ";
}

}  // namespace sluice::telemetry
