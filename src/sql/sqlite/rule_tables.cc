#include "sql/sqlite/schema.h"

namespace sluice::sql::sqlite {

// The names of constraints are what whoever types a wrong row into sqlite3 is told.
const char* const kRuleTables = R"sql(
CREATE TABLE rate_limit_rule (
  rule_id INTEGER PRIMARY KEY AUTOINCREMENT,
  key_pattern TEXT NOT NULL,
  scope TEXT,
  rate_per_second REAL,
  burst_capacity REAL,
  plan TEXT,
  is_active INTEGER NOT NULL DEFAULT 1,
  description TEXT,
  definition TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  CONSTRAINT "key_pattern has 1 to 128 characters" CHECK (length(key_pattern) BETWEEN 1 AND 128),
  CONSTRAINT "scope is user, endpoint, global or ip" CHECK (scope IN ('user', 'endpoint', 'global', 'ip')),
  CONSTRAINT "rate_per_second is above 0 and at most 1e9" CHECK (rate_per_second > 0 AND rate_per_second <= 1e9),
  CONSTRAINT "burst_capacity is above 0 and at most 1e9" CHECK (burst_capacity > 0 AND burst_capacity <= 1e9),
  CONSTRAINT "plan has 1 to 64 characters, or is null" CHECK (length(plan) BETWEEN 1 AND 64),
  CONSTRAINT "is_active is 0 or 1" CHECK (is_active IN (0, 1)),
  CONSTRAINT "definition is a JSON object" CHECK (CASE WHEN json_valid(definition) THEN json_type(definition) = 'object'
                                                       ELSE definition IS NULL END),
  CONSTRAINT "text has no zero bytes" CHECK (
    instr(key_pattern, char(0)) = 0 AND coalesce(instr(plan, char(0)), 0) = 0
    AND coalesce(instr(description, char(0)), 0) = 0 AND coalesce(instr(definition, char(0)), 0) = 0),
  CONSTRAINT "policy: and rule: have a definition, all else has none" CHECK (
    (definition IS NOT NULL) = (substr(key_pattern, 1, 7) = 'policy:' OR substr(key_pattern, 1, 5) = 'rule:')),
  CONSTRAINT "rate_per_second and burst_capacity are given, or scope, plan and both are left to the definition" CHECK (
    CASE WHEN definition IS NULL THEN rate_per_second IS NOT NULL AND burst_capacity IS NOT NULL
         ELSE coalesce(scope, rate_per_second, burst_capacity, plan) IS NULL END)
) STRICT;

-- A plan is never empty: '' stands for none, so that two rows without a plan are two of a kind.
CREATE UNIQUE INDEX rate_limit_rule_by_pattern ON rate_limit_rule (key_pattern, coalesce(plan, ''));

CREATE TABLE rate_limit_top_level (
  field TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL,
  CONSTRAINT "field has 1 to 64 characters" CHECK (length(field) BETWEEN 1 AND 64 AND instr(field, char(0)) = 0),
  CONSTRAINT "value is JSON" CHECK (json_valid(value) AND instr(value, char(0)) = 0)
) STRICT;

CREATE TABLE rate_limit_change (
  change_id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('created', 'changed', 'removed')),
  rule_id INTEGER,
  subject TEXT NOT NULL,
  changed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  changed_by TEXT NOT NULL,
  before TEXT,
  after TEXT
) STRICT;
CREATE INDEX rate_limit_change_by_rule ON rate_limit_change (rule_id, change_id);

-- Who edits, for the time of one transaction; empty for everybody else, and for edits by hand.
CREATE TABLE rate_limit_editor (name TEXT NOT NULL) STRICT;

CREATE VIEW rate_limit_current_editor AS
SELECT coalesce((SELECT name FROM rate_limit_editor LIMIT 1), 'sql') AS name;

CREATE TRIGGER rate_limit_rule_created AFTER INSERT ON rate_limit_rule BEGIN
  INSERT INTO rate_limit_change (kind, rule_id, subject, changed_by, after)
  SELECT 'created', new.rule_id, new.key_pattern || coalesce('@' || new.plan, ''), name, json_object(
           'rule_id', new.rule_id, 'key_pattern', new.key_pattern, 'scope', new.scope,
           'rate_per_second', new.rate_per_second, 'burst_capacity', new.burst_capacity, 'plan', new.plan,
           'is_active', json(iif(new.is_active, 'true', 'false')), 'description', new.description,
           'definition', json(new.definition), 'version', new.version,
           'created_at', new.created_at, 'updated_at', new.updated_at)
  FROM rate_limit_current_editor;
END;

-- Setting what was set already is no change; nor is what the trigger itself updates, so it never calls itself.
CREATE TRIGGER rate_limit_rule_changed AFTER UPDATE ON rate_limit_rule
WHEN (new.rule_id, new.key_pattern, new.scope, new.rate_per_second, new.burst_capacity, new.plan, new.is_active,
      new.description, new.definition)
  IS NOT (old.rule_id, old.key_pattern, old.scope, old.rate_per_second, old.burst_capacity, old.plan, old.is_active,
          old.description, old.definition) BEGIN
  UPDATE rate_limit_rule SET version = old.version + 1, updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE rule_id = new.rule_id;
  INSERT INTO rate_limit_change (kind, rule_id, subject, changed_by, before, after)
  SELECT 'changed', now.rule_id, now.key_pattern || coalesce('@' || now.plan, ''), name, json_object(
           'rule_id', old.rule_id, 'key_pattern', old.key_pattern, 'scope', old.scope,
           'rate_per_second', old.rate_per_second, 'burst_capacity', old.burst_capacity, 'plan', old.plan,
           'is_active', json(iif(old.is_active, 'true', 'false')), 'description', old.description,
           'definition', json(old.definition), 'version', old.version,
           'created_at', old.created_at, 'updated_at', old.updated_at),
         json_object(
           'rule_id', now.rule_id, 'key_pattern', now.key_pattern, 'scope', now.scope,
           'rate_per_second', now.rate_per_second, 'burst_capacity', now.burst_capacity, 'plan', now.plan,
           'is_active', json(iif(now.is_active, 'true', 'false')), 'description', now.description,
           'definition', json(now.definition), 'version', now.version,
           'created_at', now.created_at, 'updated_at', now.updated_at)
  FROM rate_limit_current_editor, rate_limit_rule AS now WHERE now.rule_id = new.rule_id;
END;

CREATE TRIGGER rate_limit_rule_removed AFTER DELETE ON rate_limit_rule BEGIN
  INSERT INTO rate_limit_change (kind, rule_id, subject, changed_by, before)
  SELECT 'removed', old.rule_id, old.key_pattern || coalesce('@' || old.plan, ''), name, json_object(
           'rule_id', old.rule_id, 'key_pattern', old.key_pattern, 'scope', old.scope,
           'rate_per_second', old.rate_per_second, 'burst_capacity', old.burst_capacity, 'plan', old.plan,
           'is_active', json(iif(old.is_active, 'true', 'false')), 'description', old.description,
           'definition', json(old.definition), 'version', old.version,
           'created_at', old.created_at, 'updated_at', old.updated_at)
  FROM rate_limit_current_editor;
END;

CREATE TRIGGER rate_limit_top_level_created AFTER INSERT ON rate_limit_top_level BEGIN
  INSERT INTO rate_limit_change (kind, subject, changed_by, after)
  SELECT 'created', new.field, name, new.value FROM rate_limit_current_editor;
END;

CREATE TRIGGER rate_limit_top_level_changed AFTER UPDATE ON rate_limit_top_level
WHEN (new.field, new.value) IS NOT (old.field, old.value) BEGIN
  INSERT INTO rate_limit_change (kind, subject, changed_by, before, after)
  SELECT 'changed', new.field, name, old.value, new.value FROM rate_limit_current_editor;
END;

CREATE TRIGGER rate_limit_top_level_removed AFTER DELETE ON rate_limit_top_level BEGIN
  INSERT INTO rate_limit_change (kind, subject, changed_by, before)
  SELECT 'removed', old.field, name, old.value FROM rate_limit_current_editor;
END;
)sql";

}  // namespace sluice::sql::sqlite
