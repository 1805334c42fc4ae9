// Violations as GET /admin/v1/violations and `sluice violations list --json` write them.
#pragma once

#include <span>
#include <string>

#include "audit/violation.h"

namespace sluice::doors {

// {"violations": [...], "next": "..."}: `next` is null where the page is the last. A page is full when it has `limit`.
void write_violations(std::span<const audit::Violation> page, size_t limit, std::string& out);

}  // namespace sluice::doors
