// POST /v1/check, /v1/check/batch, /v1/peek, /v1/refund, /v1/reserve and /v1/settle: who asks in JSON. docs/http.md has
// bodies and answers.
#pragma once

#include "documents/json_tape.h"
#include "doors/http/check_body.h"
#include "doors/http/http_desk.h"
#include "doors/http/message.h"
#include "doors/http/response.h"
#include "doors/json_writer.h"

namespace sluice::doors::http {

// Used by one thread.
class CheckRoutes {
 public:
  // The desk must outlive it.
  CheckRoutes(HttpDesk& desk, size_t most_items) : desk_(desk), most_items_(most_items) {}

  // kTake and kPeek.
  void check(const Request& request, stores::Action action, Response& response);
  void refund(const Request& request, Response& response);
  void batch(const Request& request, Response& response);
  void reserve(const Request& request, Response& response);
  void settle(const Request& request, Response& response);

 private:
  // False: the response has been sent.
  bool read_json(const Request& request, Response& response);
  const limiter::Answer& decide(stores::Action action);
  void write_item(JsonWriter& json, documents::TapeValue item);

  HttpDesk& desk_;
  const size_t most_items_;
  documents::JsonTape tape_;
  CheckBody body_;
};

}  // namespace sluice::doors::http
