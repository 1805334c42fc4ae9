#include "sql/sqlite/schema.h"

namespace sluice::sql::sqlite {

// REPLACE removes rows that are in its way, and SQLite tells no trigger of them; it does run those that come before. So
// the rows in the way are noted first, and whichever is gone afterwards was removed. Whoever replaces a row of the same
// rule_id does not put its version back: it goes on from what the history last had.
const char* const kRuleGuards = R"sql(
CREATE VIEW rate_limit_rule_told AS
SELECT rule_id, key_pattern || coalesce('@' || plan, '') AS subject, json_object(
           'rule_id', rule_id, 'key_pattern', key_pattern, 'scope', scope,
           'rate_per_second', rate_per_second, 'burst_capacity', burst_capacity, 'plan', plan,
           'is_active', json(iif(is_active, 'true', 'false')), 'description', description,
           'definition', json(definition), 'version', version,
           'created_at', created_at, 'updated_at', updated_at) AS told
FROM rate_limit_rule;

-- What the row at work may replace; of no use after it.
CREATE TABLE rate_limit_replaced (rule_id INTEGER PRIMARY KEY, subject TEXT NOT NULL, told TEXT NOT NULL) STRICT;

DROP TRIGGER rate_limit_rule_created;
DROP TRIGGER rate_limit_rule_changed;

CREATE TRIGGER rate_limit_rule_noted_for_insert BEFORE INSERT ON rate_limit_rule BEGIN
  DELETE FROM rate_limit_replaced;
  INSERT INTO rate_limit_replaced SELECT rule_id, subject, told FROM rate_limit_rule_told WHERE rule_id IN (
    SELECT rule_id FROM rate_limit_rule WHERE rule_id = new.rule_id
    UNION SELECT rule_id FROM rate_limit_rule
          WHERE key_pattern = new.key_pattern AND coalesce(plan, '') = coalesce(new.plan, ''));
END;

CREATE TRIGGER rate_limit_rule_noted_for_update BEFORE UPDATE OF rule_id, key_pattern, plan ON rate_limit_rule BEGIN
  DELETE FROM rate_limit_replaced;
  INSERT INTO rate_limit_replaced SELECT rule_id, subject, told FROM rate_limit_rule_told WHERE rule_id <> old.rule_id
    AND rule_id IN (
      SELECT rule_id FROM rate_limit_rule WHERE rule_id = new.rule_id
      UNION SELECT rule_id FROM rate_limit_rule
            WHERE key_pattern = new.key_pattern AND coalesce(plan, '') = coalesce(new.plan, ''));
END;

CREATE TRIGGER rate_limit_rule_guarded BEFORE UPDATE OF version, created_at ON rate_limit_rule
WHEN new.version < old.version OR new.created_at IS NOT old.created_at BEGIN
  SELECT RAISE(ABORT, 'version never goes back, and created_at stays as it is');
END;

CREATE TRIGGER rate_limit_rule_created AFTER INSERT ON rate_limit_rule BEGIN
  SELECT RAISE(ABORT, 'rule_id is above 0') WHERE new.rule_id < 1;
  INSERT INTO rate_limit_change (kind, rule_id, subject, changed_by, before)
  SELECT 'removed', was.rule_id, was.subject, name, was.told FROM rate_limit_replaced AS was, rate_limit_current_editor
  WHERE was.rule_id = new.rule_id
     OR NOT EXISTS (SELECT 1 FROM rate_limit_rule AS now WHERE now.rule_id = was.rule_id);
  DELETE FROM rate_limit_replaced;
  UPDATE rate_limit_rule SET version = 1 + (
    SELECT json_extract(coalesce(after, before), '$.version') FROM rate_limit_change WHERE rule_id = new.rule_id
    ORDER BY change_id DESC LIMIT 1)
  WHERE rule_id = new.rule_id AND version <= (
    SELECT json_extract(coalesce(after, before), '$.version') FROM rate_limit_change WHERE rule_id = new.rule_id
    ORDER BY change_id DESC LIMIT 1);
  INSERT INTO rate_limit_change (kind, rule_id, subject, changed_by, after)
  SELECT 'created', now.rule_id, now.subject, name, now.told
  FROM rate_limit_current_editor, rate_limit_rule_told AS now WHERE now.rule_id = new.rule_id;
END;

-- Setting what was set already is no change; nor is what the trigger itself updates, so it never calls itself.
CREATE TRIGGER rate_limit_rule_changed AFTER UPDATE ON rate_limit_rule
WHEN (new.rule_id, new.key_pattern, new.scope, new.rate_per_second, new.burst_capacity, new.plan, new.is_active,
      new.description, new.definition)
  IS NOT (old.rule_id, old.key_pattern, old.scope, old.rate_per_second, old.burst_capacity, old.plan, old.is_active,
          old.description, old.definition) BEGIN
  SELECT RAISE(ABORT, 'rule_id is above 0') WHERE new.rule_id < 1;
  INSERT INTO rate_limit_change (kind, rule_id, subject, changed_by, before)
  SELECT 'removed', was.rule_id, was.subject, name, was.told FROM rate_limit_replaced AS was, rate_limit_current_editor
  WHERE (was.rule_id = new.rule_id AND new.rule_id <> old.rule_id)
     OR NOT EXISTS (SELECT 1 FROM rate_limit_rule AS now WHERE now.rule_id = was.rule_id);
  DELETE FROM rate_limit_replaced;
  UPDATE rate_limit_rule SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    version = max(new.version, old.version + 1, 1 + coalesce((
      SELECT json_extract(coalesce(after, before), '$.version') FROM rate_limit_change WHERE rule_id = new.rule_id
      ORDER BY change_id DESC LIMIT 1), 0))
  WHERE rule_id = new.rule_id;
  INSERT INTO rate_limit_change (kind, rule_id, subject, changed_by, before, after)
  SELECT 'changed', now.rule_id, now.subject, name, json_object(
           'rule_id', old.rule_id, 'key_pattern', old.key_pattern, 'scope', old.scope,
           'rate_per_second', old.rate_per_second, 'burst_capacity', old.burst_capacity, 'plan', old.plan,
           'is_active', json(iif(old.is_active, 'true', 'false')), 'description', old.description,
           'definition', json(old.definition), 'version', old.version,
           'created_at', old.created_at, 'updated_at', old.updated_at), now.told
  FROM rate_limit_current_editor, rate_limit_rule_told AS now WHERE now.rule_id = new.rule_id;
END;

-- Where SQLite does tell (PRAGMA recursive_triggers), nothing is left to find out.
CREATE TRIGGER rate_limit_rule_removal_known AFTER DELETE ON rate_limit_rule BEGIN
  DELETE FROM rate_limit_replaced WHERE rule_id = old.rule_id;
END;
)sql";

}  // namespace sluice::sql::sqlite
