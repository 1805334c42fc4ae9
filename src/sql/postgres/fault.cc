#include "sql/postgres/fault.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sluice::sql::postgres {
namespace {

struct Row {
  std::string_view start;  // of the SQLSTATE
  Trouble trouble;
  const char* hint;
};

// The first row that fits counts. kBroken, for all else, means that trying again is in vain: whatever an operator can
// mend on the server, while we wait, is not that.
constexpr std::array kRows = {
    Row{"08", Trouble::kAway, ""},
    Row{"57P0", Trouble::kAway, "it is starting, stopping or was restarted: it is asked again by itself"},
    Row{"25P03", Trouble::kAway, "it was idle in a transaction for too long"},
    Row{"53300", Trouble::kAway, "raise max_connections, or put fewer servers on this database"},
    Row{"28", Trouble::kAway, "check user and password of the URL, and pg_hba.conf of the server"},
    Row{"3D000", Trouble::kAway, "check the URL, or make the database: createdb NAME"},
    Row{"58", Trouble::kAway, "look into the log of PostgreSQL, and at its disk"},
    // What was dropped or replaced under a connection; a new one makes what is missing.
    Row{"42P01", Trouble::kAway, "check the role's search_path"},
    Row{"0A000", Trouble::kAway, ""},
    Row{"26000", Trouble::kAway, "connect to PostgreSQL itself, or to a pooler that pools sessions"},
    Row{"53100", Trouble::kFull, "make room on the database's disk"},
    Row{"53", Trouble::kBusy, "PostgreSQL has not enough memory or other resources"},
    Row{"55P03", Trouble::kBusy, "somebody else is editing: look for open transactions in pg_stat_activity"},
    Row{"40001", Trouble::kBusy, ""},
    Row{"40P01", Trouble::kBusy, ""},
    Row{"57014", Trouble::kBusy, "it took too long, or somebody cancelled it"},
    Row{"25006", Trouble::kReadOnly,
        "this is a standby, or the role may only read: add target_session_attrs=read-write to the URL"},
    Row{"42501", Trouble::kReadOnly, "GRANT the role what it lacks, or use the URL of one that may"},
    Row{"23505", Trouble::kDuplicate, ""},
    Row{"23502", Trouble::kRefused, ""},
    Row{"23514", Trouble::kRefused, ""},
    Row{"22", Trouble::kRefused, ""},
};

const Row* row_of(std::string_view sqlstate) {
  const auto* const found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return sqlstate.starts_with(row.start); });
  return found == kRows.end() ? nullptr : found;
}

std::string field_of(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? "" : text;
}

// The names of our checks are sentences; the rest of what PostgreSQL says of them is noise.
std::string message_of(const PGresult* result, std::string_view sqlstate) {
  const std::string constraint = field_of(result, PG_DIAG_CONSTRAINT_NAME);
  if (sqlstate == "23514" && !constraint.empty()) return "PostgreSQL refuses the row unless " + constraint;
  const std::string primary = field_of(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string detail = field_of(result, PG_DIAG_MESSAGE_DETAIL);
  const std::string words = primary.empty() ? first_line(PQresultErrorMessage(result)) : first_line(primary);
  return "PostgreSQL: " + words + (detail.empty() ? "" : " (" + first_line(detail) + ")");
}

// `FATAL:  28P01: password authentication failed`: the code, and the text without it.
std::string take_sqlstate(std::string& words) {
  const auto is_code = [](char c) { return isdigit(static_cast<unsigned char>(c)) || (c >= 'A' && c <= 'Z'); };
  for (size_t at = words.find(":  "); at != std::string::npos; at = words.find(":  ", at + 1)) {
    std::string code = words.substr(at + 3, 5);
    if (code.size() < 5 || words.compare(at + 8, 2, ": ") != 0 || !std::all_of(code.begin(), code.end(), is_code)) {
      continue;
    }
    words.replace(at, 10, ": ");
    return code;
  }
  return "";
}

}  // namespace

Trouble trouble_of(std::string_view sqlstate) {
  const Row* const row = row_of(sqlstate);
  return row == nullptr ? Trouble::kBroken : row->trouble;
}

Fault fault_of(const PGresult* result) {
  const std::string sqlstate = field_of(result, PG_DIAG_SQLSTATE);
  const Row* const row = row_of(sqlstate);
  return {trouble_of(sqlstate), message_of(result, sqlstate), row == nullptr ? "" : row->hint};
}

Fault connect_fault(const std::string& where, std::string_view words) {
  std::string line = first_line(words);
  const std::string sqlstate = take_sqlstate(line);
  const Row* const row = row_of(sqlstate);
  const std::string message = "cannot connect to PostgreSQL at " + where + ": " + line;
  // Without a code nobody answered, or nobody who could be understood.
  if (sqlstate.empty()) return {Trouble::kAway, message, "check that it runs, and that this machine may reach it"};
  return {trouble_of(sqlstate), message, row == nullptr ? "" : row->hint};
}

Fault lost_fault(const std::string& where, std::string_view words) {
  return {Trouble::kAway, "lost the connection to PostgreSQL at " + where + ": " + first_line(words)};
}

std::string first_line(std::string_view words) {
  const std::string_view line = words.substr(0, words.find('\n'));
  return line.empty() ? "no reason given" : std::string(line);
}

}  // namespace sluice::sql::postgres
