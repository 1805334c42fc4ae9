// POST /v1/check, /v1/check/batch, /v1/peek and /v1/refund: who asks in JSON. docs/http.md has bodies and answers.
#pragma once

#include "documents/json_tape.h"
#include "doors/http/check_body.h"
#include "doors/http/counter.h"
#include "doors/http/message.h"
#include "doors/http/response.h"
#include "doors/json_writer.h"

namespace sluice::doors::http {

// Used by one thread.
class CheckRoutes {
 public:
  static constexpr size_t kMostItems = 1000;

  // The counter must outlive it.
  explicit CheckRoutes(Counter& counter) : counter_(counter) {}

  // kTake and kPeek.
  void check(const Request& request, stores::Action action, Response& response);
  void refund(const Request& request, Response& response);
  void batch(const Request& request, Response& response);

 private:
  // False: the response has been sent.
  bool read_json(const Request& request, Response& response);
  const limiter::Answer& decide(stores::Action action);
  void write_item(JsonWriter& json, documents::TapeValue item);

  Counter& counter_;
  documents::JsonTape tape_;
  CheckBody body_;
};

}  // namespace sluice::doors::http
