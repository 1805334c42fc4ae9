// GET /admin/v1/violations: who was refused what, the newest first, page by page.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "audit/violation.h"
#include "doors/http/message.h"
#include "doors/http/response.h"
#include "doors/time_source.h"
#include "sql/outcome.h"

namespace sluice::doors::admin {

// Reads a page of a table of violations; for the thread of the admin door.
using ReadViolations = std::function<sql::Outcome<std::vector<audit::Violation>>(
    const audit::ViolationFilter& filter, const std::optional<audit::Cursor>& after, size_t most)>;

// Where none are kept, `read` is empty.
void send_violations(const ReadViolations& read, TimeSource& time, const http::Request& request,
                     http::Response& response);

}  // namespace sluice::doors::admin
