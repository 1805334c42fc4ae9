// What anybody may send as a row, as a definition in a row, or as a patch: rules, or faults that can be shown. A row
// that is read and shown again is the same row.
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <string_view>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/table/load_snapshot.h"
#include "rules/table/row_json.h"

namespace {

using namespace sluice;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_words(const std::vector<rules::Fault>& faults) {
  require(!faults.empty());
  for (const rules::Fault& fault : faults) {
    require(!fault.message.empty());
    for (const char c : describe(fault)) require(static_cast<unsigned char>(c) >= ' ' || c == '\n');
  }
}

void check_loaded(const rules::Snapshot& snapshot) {
  const rules::Loaded loaded = rules::load_snapshot(snapshot, {"fuzz", {}});
  if (loaded.rules == nullptr) check_words(loaded.faults);
}

void check_body(std::string_view text) {
  const auto read = rules::read_row(text, "fuzz");
  if (const auto* faults = std::get_if<std::vector<rules::Fault>>(&read)) return check_words(*faults);
  rules::Row row = std::get<rules::RowBody>(read).row;
  row.id = row.version = 1;
  check_loaded({1, {row}, {}});
  const std::string shown = documents::write_json(rules::row_json(row));
  const auto again = rules::read_row(shown, "again");
  require(std::holds_alternative<rules::RowBody>(again));
  require(std::get<rules::RowBody>(again).row.key_pattern == row.key_pattern);
}

void check_definition(std::string_view text, const char* pattern) {
  rules::Row row;
  row.id = 1;
  row.key_pattern = pattern;
  row.definition = std::string(text);
  check_loaded({1, {row}, {}});
}

void check_patch(std::string_view text) {
  const size_t middle = text.find('\0');
  if (middle == text.npos) return;
  auto target = documents::read_json(text.substr(0, middle));
  const auto patch = documents::read_json(text.substr(middle + 1));
  if (!std::holds_alternative<documents::Node>(target) || !std::holds_alternative<documents::Node>(patch)) return;
  rules::merge_patch(std::get<documents::Node>(target), std::get<documents::Node>(patch));
  (void)documents::write_json(std::get<documents::Node>(target));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  // No file that the text could name.
  if (text.find("_file") != text.npos) return 0;
  switch (data[0] % 4) {
    case 0: check_body(text); break;
    case 1: check_definition(text, "rule:fuzz"); break;
    case 2: check_definition(text, "policy:fuzz"); break;
    default: check_patch(text); break;
  }
  return 0;
}
