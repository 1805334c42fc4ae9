// The answer to one request, written straight to the connection's output. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "doors/http/message.h"
#include "net/output.h"

namespace sluice::doors::http {

inline constexpr std::string_view kJsonMediaType = "application/json";

struct Reply {
  int status = 200;
  std::string_view media_type;  // empty where there is no body
  std::span<const Field> fields;
  std::string_view body;
};

// How the connection goes on, and what of an answer it wants.
struct Manner {
  bool is_http11 = true;
  bool keeps_open = true;
  bool is_head = false;  // the same header, but no body
};

class Response {
 public:
  // `text` is memory for a body, of all responses of a loop: a handler may write there and send it.
  Response(net::Output& output, std::string& text, Manner manner) : output_(output), text_(text), manner_(manner) {}
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;

  // Empty at first.
  std::string& text() {
    text_.clear();
    return text_;
  }

  // REQUIRES: once. Names and values without line ends.
  void send(const Reply& reply);
  // A fault as application/problem+json: its status and one sentence, with these fields.
  void send_fault(int status, std::string_view sentence, std::span<const Field> fields = {});

  bool is_sent() const { return is_sent_; }

 private:
  net::Output& output_;
  std::string& text_;
  const Manner manner_;
  bool is_sent_ = false;
};

// `Not Found` of 404; empty of what is not in the table.
std::string_view phrase_of(int status);

}  // namespace sluice::doors::http
