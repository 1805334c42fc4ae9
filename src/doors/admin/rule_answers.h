// What the rules API answers: rows, changes, and problems (RFC 9457) with all their faults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"
#include "doors/http/response.h"
#include "rules/language/load.h"
#include "rules/table/editor.h"
#include "rules/table/row.h"
#include "sql/outcome.h"

namespace sluice::doors::admin {

// The value of a top level's field as a tag: another for every other text.
std::string tag_of_value(std::string_view text);

void send_json(http::Response& response, int status, const documents::Node& node,
               std::span<const http::Field> fields = {});
// With its version as ETag; of a new one, where it is.
void send_row(http::Response& response, int status, const rules::Row& row);
void send_changes(http::Response& response, const std::vector<rules::Change>& changes, size_t most);
// A member as an object's; for trees that are sent.
void add_member(documents::Node& object, std::string_view name, documents::Node value);
documents::Node integer_node(int64_t number);
// JSON that is in a database, as a tree; what is none, as the text it is.
documents::Node stored_json(const std::string& text);

void send_faults(http::Response& response, const std::vector<rules::Fault>& faults);
void send_database_fault(http::Response& response, const sql::Fault& fault);
// All that is not Edited.
void send_refusal(http::Response& response, const rules::EditResult& result);

}  // namespace sluice::doors::admin
