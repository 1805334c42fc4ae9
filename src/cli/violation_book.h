// Where `sluice violations` reads: a database, or the admin door of a server. Both give the API's JSON.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <variant>

#include "cli/output.h"
#include "cli/place.h"
#include "doors/query_string.h"

namespace sluice::cli {

// One connection; used by one thread.
class ViolationBook {
 public:
  using Json = nlohmann::ordered_json;

  virtual ~ViolationBook() = default;

  // A page, by the parameters of GET /admin/v1/violations.
  virtual std::variant<Json, Failure> page(const doors::QueryFields& query) = 0;
};

std::variant<std::unique_ptr<ViolationBook>, Failure> open_violation_book(const Place& place);

}  // namespace sluice::cli
