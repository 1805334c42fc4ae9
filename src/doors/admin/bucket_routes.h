// GET and DELETE /admin/v1/buckets/{key}: how the buckets of a key stand, and making them full.
#pragma once

#include "doors/http/message.h"
#include "doors/http/response.h"
#include "doors/time_source.h"
#include "limiter/limiter.h"
#include "limiter/worker.h"

namespace sluice::doors::admin {

// Used by one thread.
class BucketRoutes {
 public:
  static constexpr std::string_view kPath = "/admin/v1/buckets/";

  // All must outlive it.
  BucketRoutes(limiter::Limiter& limiter, limiter::Worker& worker, TimeSource& time)
      : limiter_(limiter), worker_(worker), time_(time) {}

  void inspect(const http::Request& request, http::Response& response);
  void reset(const http::Request& request, http::Response& response);

 private:
  limiter::Limiter& limiter_;
  limiter::Worker& worker_;
  TimeSource& time_;
};

}  // namespace sluice::doors::admin
