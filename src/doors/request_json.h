// A request that somebody describes in JSON: the body of /v1/check, the argument of `sluice check`, a scenario's step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "documents/document.h"
#include "documents/json_tape.h"
#include "doors/query_string.h"
#include "rules/request.h"

namespace sluice::doors {

// Owns the bytes that its request points into.
class DescribedRequest {
 public:
  DescribedRequest(DescribedRequest&&) noexcept;
  DescribedRequest& operator=(DescribedRequest&&) noexcept;
  ~DescribedRequest();

  const rules::Request& request() const;

 private:
  struct Parts;
  explicit DescribedRequest(std::unique_ptr<Parts> parts);
  friend std::variant<DescribedRequest, struct RequestFault> describe_request(documents::Node node);
  std::unique_ptr<Parts> parts_;
};

// What is wrong, in one line: which field, what was found, what was expected.
struct RequestFault {
  std::string message;
};

// {"method", "path", "host", "ip", "headers": {}, "query": {}, "attributes": {}, "cost"}, every one of them optional.
// Values of the three maps are strings, numbers, booleans or lists of these. Where there is no `query`, that of `path`
// counts. Unknown fields are faults.
std::variant<DescribedRequest, RequestFault> describe_request(documents::Node node);

// For one request after another: keeps its memory.
struct RequestMemory {
  QueryReader query_of_path;
  std::vector<rules::Field> headers;
  std::vector<rules::Field> query;
  std::vector<rules::Field> attributes;
  rules::Request request;
};

// The same, into memory.request, which views into the tape and the memory.
std::optional<RequestFault> describe_request(documents::TapeValue value, RequestMemory& memory);

}  // namespace sluice::doors
