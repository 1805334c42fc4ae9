#include "sql/postgres/schema.h"

namespace sluice::sql::postgres {

// Whoever changes a rule, through Sluice or with psql, is in the history, and the number of the latest change says
// whether anything changed. Numbers are given before a transaction commits; if two could write at once, the one with
// the smaller number might commit last, and whoever had seen the greater one would miss it. So every statement that
// changes something first takes a lock that is held to the end of its transaction: numbers are in the order of commits.
// It is taken before the statement locks any row, so that two who change several rows do not wait for each other.
//
// The functions run as the owner of the tables: a role that may edit rules can add to the history, and not rewrite it.
const char* const kHistory = R"sql(
CREATE TABLE rate_limit_change (
  change_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('created', 'changed', 'removed')),
  rule_id BIGINT,
  subject TEXT NOT NULL,
  changed_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  changed_by TEXT NOT NULL DEFAULT coalesce(nullif(current_setting('sluice.who', true), ''), session_user),
  before JSON,
  after JSON
);
CREATE INDEX rate_limit_change_by_rule ON rate_limit_change (rule_id, change_id);

CREATE FUNCTION rate_limit_time(at TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql STABLE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

CREATE FUNCTION rate_limit_rule_json(r rate_limit_rule) RETURNS JSON LANGUAGE sql STABLE STRICT
RETURN (SELECT row_to_json(shown) FROM (
  SELECT r.rule_id, r.key_pattern, r.scope, r.rate_per_second, r.burst_capacity, r.plan, r.is_active, r.description,
         r.definition, r.version, rate_limit_time(r.created_at) AS created_at, rate_limit_time(r.updated_at) AS updated_at
) AS shown);

CREATE FUNCTION rate_limit_one_at_a_time() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('sluice changes'));
  PERFORM pg_notify('rate_limit_change', '');
  RETURN NULL;
END $$;

-- Setting what was set already is no change.
CREATE FUNCTION rate_limit_rule_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version;
  NEW.created_at := OLD.created_at;
  NEW.updated_at := OLD.updated_at;
  IF (NEW.*)::text IS DISTINCT FROM (OLD.*)::text THEN
    NEW.version := OLD.version + 1;
    NEW.updated_at := now();
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION rate_limit_rule_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO rate_limit_change (kind, rule_id, subject, after)
    VALUES ('created', NEW.rule_id, NEW.key_pattern || coalesce('@' || NEW.plan, ''), rate_limit_rule_json(NEW));
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO rate_limit_change (kind, rule_id, subject, before, after)
    VALUES ('changed', NEW.rule_id, NEW.key_pattern || coalesce('@' || NEW.plan, ''), rate_limit_rule_json(OLD),
            rate_limit_rule_json(NEW));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO rate_limit_change (kind, rule_id, subject, before)
    VALUES ('removed', OLD.rule_id, OLD.key_pattern || coalesce('@' || OLD.plan, ''), rate_limit_rule_json(OLD));
  ELSE
    INSERT INTO rate_limit_change (kind, rule_id, subject, before)
    SELECT 'removed', r.rule_id, r.key_pattern || coalesce('@' || r.plan, ''), rate_limit_rule_json(r)
    FROM rate_limit_rule AS r ORDER BY r.rule_id;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION rate_limit_top_level_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO rate_limit_change (kind, subject, after) VALUES ('created', NEW.field, NEW.value);
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO rate_limit_change (kind, subject, before, after) VALUES ('changed', NEW.field, OLD.value, NEW.value);
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO rate_limit_change (kind, subject, before) VALUES ('removed', OLD.field, OLD.value);
  ELSE
    INSERT INTO rate_limit_change (kind, subject, before)
    SELECT 'removed', t.field, t.value FROM rate_limit_top_level AS t ORDER BY t.field;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER a_one_at_a_time BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON rate_limit_rule
FOR EACH STATEMENT EXECUTE FUNCTION rate_limit_one_at_a_time();
CREATE TRIGGER b_version BEFORE UPDATE ON rate_limit_rule FOR EACH ROW EXECUTE FUNCTION rate_limit_rule_version();
CREATE TRIGGER c_history AFTER INSERT OR DELETE ON rate_limit_rule
FOR EACH ROW EXECUTE FUNCTION rate_limit_rule_history();
CREATE TRIGGER c_history_of_updates AFTER UPDATE ON rate_limit_rule
FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION rate_limit_rule_history();
CREATE TRIGGER d_history_of_truncate BEFORE TRUNCATE ON rate_limit_rule
FOR EACH STATEMENT EXECUTE FUNCTION rate_limit_rule_history();

CREATE TRIGGER a_one_at_a_time BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON rate_limit_top_level
FOR EACH STATEMENT EXECUTE FUNCTION rate_limit_one_at_a_time();
CREATE TRIGGER c_history AFTER INSERT OR DELETE ON rate_limit_top_level
FOR EACH ROW EXECUTE FUNCTION rate_limit_top_level_history();
CREATE TRIGGER c_history_of_updates AFTER UPDATE ON rate_limit_top_level
FOR EACH ROW WHEN (OLD.field <> NEW.field OR OLD.value::text <> NEW.value::text)
EXECUTE FUNCTION rate_limit_top_level_history();
CREATE TRIGGER d_history_of_truncate BEFORE TRUNCATE ON rate_limit_top_level
FOR EACH STATEMENT EXECUTE FUNCTION rate_limit_top_level_history();
)sql";

}  // namespace sluice::sql::postgres
