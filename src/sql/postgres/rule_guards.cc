#include "sql/postgres/schema.h"

namespace sluice::sql::postgres {

// Rows that were there before stay as they are, also where they break the check: the loader tells of them. Whoever
// gives a row its number by hand moves the sequence on, so that no later row is given the same one. Who edits says so
// in a setting, which anybody can set; which role it was, the server says.
const char* const kRuleGuards = R"sql(
ALTER TABLE rate_limit_rule ADD CONSTRAINT "rule_id is above 0" CHECK (rule_id > 0) NOT VALID;

CREATE FUNCTION rate_limit_rule_number() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM setval(sequence, NEW.rule_id)
  FROM (SELECT pg_get_serial_sequence('rate_limit_rule', 'rule_id')::regclass AS sequence) AS of_rules
  WHERE NEW.rule_id > coalesce(pg_sequence_last_value(sequence), 0);
  RETURN NULL;
END $$;
CREATE TRIGGER e_number AFTER INSERT OR UPDATE OF rule_id ON rate_limit_rule
FOR EACH ROW EXECUTE FUNCTION rate_limit_rule_number();

DO $$
BEGIN
  PERFORM setval(sequence, latest)
  FROM (SELECT pg_get_serial_sequence('rate_limit_rule', 'rule_id')::regclass AS sequence,
               (SELECT max(rule_id) FROM rate_limit_rule) AS latest) AS of_rules
  WHERE latest > coalesce(pg_sequence_last_value(sequence), 0);
END $$;

-- In two steps: as one, older changes would be those of the role that migrates.
ALTER TABLE rate_limit_change ADD COLUMN session_role TEXT;
ALTER TABLE rate_limit_change ALTER COLUMN session_role SET DEFAULT session_user;
)sql";

}  // namespace sluice::sql::postgres
