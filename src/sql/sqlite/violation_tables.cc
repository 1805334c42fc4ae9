#include "sql/sqlite/schema.h"

namespace sluice::sql::sqlite {

// Keys and names are TEXT and hold any bytes, zero bytes too: SQLite keeps what it is given, and whoever types
// bucket_key = 'user:42' finds it. Times are microseconds since 1970; rate_limit_violation_readable spells them out.
//
// All three orders end with the id (SQLite adds it to the last by itself), so that pages are read off them, backwards
// or forwards, and never sorted. A violation without a user or an address is not in that index.
const char* const kViolationTables = R"sql(
CREATE TABLE rate_limit_violation (
  violation_id INTEGER PRIMARY KEY AUTOINCREMENT,
  bucket_key TEXT NOT NULL,
  user_id TEXT,
  ip_address TEXT,
  endpoint TEXT,
  requested_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  tokens_at_time REAL NOT NULL,
  cost REAL NOT NULL,
  count INTEGER NOT NULL,
  rule_id INTEGER,
  policy TEXT NOT NULL,
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,
  is_shadow INTEGER NOT NULL
) STRICT;

CREATE INDEX rate_limit_violation_by_user ON rate_limit_violation (user_id, requested_at DESC, violation_id DESC)
WHERE user_id IS NOT NULL;
CREATE INDEX rate_limit_violation_by_ip ON rate_limit_violation (ip_address, requested_at DESC, violation_id DESC)
WHERE ip_address IS NOT NULL;
CREATE INDEX rate_limit_violation_by_time ON rate_limit_violation (requested_at);

-- For people. Columns made by the table itself would be made for every row that is written.
CREATE VIEW rate_limit_violation_readable AS
SELECT violation_id, strftime('%Y-%m-%dT%H:%M:%fZ', requested_at / 1e6, 'unixepoch') AS requested_time,
       strftime('%Y-%m-%dT%H:%M:%fZ', last_at / 1e6, 'unixepoch') AS last_time, count, user_id, ip_address, endpoint,
       bucket_key, tokens_at_time, cost, policy, rule, rule_id, reason, is_shadow
FROM rate_limit_violation ORDER BY rate_limit_violation.requested_at DESC, violation_id DESC;

-- Which batches have arrived, so that none is kept twice.
CREATE TABLE rate_limit_writer (
  writer TEXT PRIMARY KEY NOT NULL,
  last_batch INTEGER NOT NULL,
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;
)sql";

}  // namespace sluice::sql::sqlite
