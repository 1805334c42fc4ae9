// A request that somebody describes in JSON: the body of /v1/check, the argument of `sluice check`, a scenario's step.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "documents/document.h"
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
  friend class RequestReader;
  struct Parts;
  explicit DescribedRequest(std::unique_ptr<Parts> parts);
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

}  // namespace sluice::doors
