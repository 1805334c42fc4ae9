// Writes JSON to the end of a string that the caller keeps and reuses; with room enough in it, nothing is allocated.
// Whatever bytes it is given, what it writes is valid: what is not UTF-8 becomes U+FFFD. Not thread-safe.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice::doors {

// Commas come by themselves. REQUIRES: calls in the order of a document, each member's name before its value.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  // How many there will be does not matter in JSON; other writers of decisions must know.
  void begin_object(size_t /*members*/ = 0) { open('{'); }
  void end_object() { close('}'); }
  void begin_array(size_t /*items*/ = 0) { open('['); }
  void end_array() { close(']'); }

  void name(std::string_view text);

  void string(std::string_view text) { string({text}); }
  // One string of several parts, each of them whole characters.
  void string(std::initializer_list<std::string_view> parts);
  void integer(int64_t number);
  void tokens(Tokens amount);
  // The shortest text that reads as this number; null for what is none.
  void number(double value);
  void boolean(bool value) { literal(value ? "true" : "false"); }
  void null() { literal("null"); }

 private:
  void open(char bracket);
  void close(char bracket);
  void literal(std::string_view text);
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace sluice::doors
