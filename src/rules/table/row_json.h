// A row as JSON, as the API speaks it: the rule or policy as a file would have it, with what the database keeps beside
// it: `rule_id`, `version`, `created_at` and `updated_at`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "documents/document.h"
#include "rules/language/load.h"
#include "rules/table/row.h"

namespace sluice::rules {

// A definition that cannot be read (somebody wrote it by hand) is shown as the text it is, in `definition`.
documents::Node row_json(const Row& row);

// What somebody sent for a row. Of what is wrong with it, the loader tells: a value of the wrong kind is in the tree,
// and not in the row.
struct RowBody {
  Row row;               // as it is to be written; its id and version are not from the text
  documents::Node tree;  // what the language has to say on it, at its lines and columns
  std::optional<int64_t> rule_id;
};

using ReadBody = std::variant<RowBody, std::vector<Fault>>;

// `rule_id` is read, for it tells whether the right row was meant. `version`, `created_at` and `updated_at` are passed
// over: they are the database's own, and who sends back what was shown need not take them out.
// `file` is what faults name.
ReadBody read_row(std::string_view text, const std::string& file);
ReadBody read_row(documents::Node tree, const std::string& file);

// RFC 7386: members of `patch` replace those of `target`, null takes them out.
void merge_patch(documents::Node& target, const documents::Node& patch);

// In a tree of several texts: what is told of these nodes names no line.
void forget_positions(documents::Node& tree);

}  // namespace sluice::rules
