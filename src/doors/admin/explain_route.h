// POST /admin/v1/explain: how a request would be decided now, and why. Takes nothing and is counted nowhere.
#pragma once

#include "documents/json_tape.h"
#include "doors/http/message.h"
#include "doors/http/response.h"
#include "doors/request_json.h"
#include "doors/time_source.h"
#include "limiter/worker.h"

namespace sluice::doors::admin {

// Used by one thread.
class ExplainRoute {
 public:
  // Both must outlive it.
  ExplainRoute(limiter::Worker& worker, TimeSource& time) : worker_(worker), time_(time) {}

  void explain(const http::Request& request, http::Response& response);

 private:
  limiter::Worker& worker_;
  TimeSource& time_;
  limiter::PlainCheck check_;
  documents::JsonTape tape_;
  RequestMemory memory_;
};

}  // namespace sluice::doors::admin
