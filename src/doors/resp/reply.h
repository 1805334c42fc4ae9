// Writes replies in the protocol that a client has chosen. What RESP2 has no type for becomes the nearest it has: a map
// a flat array, a boolean 1 or 0, a fraction a string. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/output.h"
#include "sluice/units.h"

namespace sluice::doors::resp {

enum class Protocol : uint8_t { kResp2 = 2, kResp3 = 3 };

class Reply {
 public:
  // The output must outlive it; the protocol may change between replies.
  Reply(net::Output& output, const Protocol& protocol) : output_(output), protocol_(protocol) {}

  net::Output& output() { return output_; }

  // REQUIRES: no line ends in the text.
  void simple(std::string_view text) { line('+', text); }
  void ok() { simple("OK"); }
  // `ERR what is wrong`: a code and a sentence. What the caller sent may be part of it; line ends become blanks.
  void error(std::string_view text);
  void bulk(std::string_view bytes);
  void integer(int64_t number) { header(':', number); }
  void begin_array(size_t items) { header('*', static_cast<int64_t>(items)); }
  // A name and a value each.
  void begin_map(size_t members);

  // As the writers of decisions are called: see doors/decision_fields.h.
  void begin_object(size_t members) { begin_map(members); }
  void end_object() {}
  void end_array() {}
  void name(std::string_view text) { bulk(text); }
  void string(std::string_view text) { bulk(text); }
  void boolean(bool value);
  void null();
  // Whole ones are integers.
  void tokens(Tokens amount);

 private:
  bool is_resp3() const { return protocol_ == Protocol::kResp3; }
  void line(char type, std::string_view text);
  void header(char type, int64_t number);

  net::Output& output_;
  const Protocol& protocol_;
};

}  // namespace sluice::doors::resp
