#include "doors/json_writer.h"

#include <charconv>
#include <cmath>

#include "documents/json_escape.h"
#include "doors/decimal_text.h"

namespace sluice::doors {

void JsonWriter::name(std::string_view text) {
  string(text);
  out_ += ':';
  needs_comma_ = false;
}

void JsonWriter::string(std::initializer_list<std::string_view> parts) {
  separate();
  out_ += '"';
  for (const std::string_view part : parts) documents::append_escaped(out_, part);
  out_ += '"';
}

void JsonWriter::integer(int64_t number) { literal(DecimalText(number).view()); }

void JsonWriter::tokens(Tokens amount) { literal(DecimalText(amount).view()); }

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  literal({text, static_cast<size_t>(end - text)});
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::literal(std::string_view text) {
  separate();
  out_.append(text);
}

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

}  // namespace sluice::doors
