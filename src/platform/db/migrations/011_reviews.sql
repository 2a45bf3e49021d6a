-- Cases for people, what they ruled, and the verdicts that a ruling amends.

-- A verdict that a ruling amends names the one before; each is amended once at most, so that they form a line.
ALTER TABLE verdicts DROP CONSTRAINT verdicts_grade_id_key;
ALTER TABLE verdicts ADD COLUMN amends text UNIQUE REFERENCES verdicts (id);
ALTER TABLE verdicts ADD COLUMN ruling_id text;
CREATE UNIQUE INDEX verdicts_first_of_grade ON verdicts (grade_id) WHERE amends IS NULL;
CREATE INDEX verdicts_by_grade ON verdicts (grade_id);

-- How many open cases are alike. Locked before any case of the group is.
CREATE TABLE review_groups (
  key text PRIMARY KEY,
  waiting integer NOT NULL DEFAULT 0 CHECK (waiting >= 0)
);

-- What a case is stays; priority, claim, ruling and closing change, as rows of work do.
CREATE TABLE review_cases (
  id text PRIMARY KEY,
  artifact_id text NOT NULL REFERENCES artifacts (id),
  verdict_id text NOT NULL UNIQUE REFERENCES verdicts (id),
  decision_id text NOT NULL REFERENCES decisions (id),
  run_id text REFERENCES runs (id),
  task text NOT NULL,
  cause text NOT NULL CHECK (cause IN ('always', 'sampled', 'control', 'appeal')),
  why text NOT NULL,
  severity double precision NOT NULL CHECK (severity BETWEEN 0 AND 1),
  uncertainty double precision NOT NULL CHECK (uncertainty BETWEEN 0 AND 1),
  group_key text NOT NULL REFERENCES review_groups (key),
  opened_at timestamptz NOT NULL DEFAULT now(),
  priority double precision NOT NULL,
  ruling text,
  closed_at timestamptz,
  claimed_by text,
  claimed_until timestamptz
);
CREATE INDEX review_cases_queue ON review_cases (priority DESC, id) WHERE closed_at IS NULL;
CREATE INDEX review_cases_queue_by_task ON review_cases (task, priority DESC, id) WHERE closed_at IS NULL;
CREATE INDEX review_cases_queue_by_run ON review_cases (run_id, priority DESC, id) WHERE closed_at IS NULL AND run_id IS NOT NULL;
CREATE INDEX review_cases_alike ON review_cases (group_key);
CREATE INDEX review_cases_by_group ON review_cases (group_key, priority DESC, id) WHERE closed_at IS NULL;
CREATE INDEX review_cases_by_claim ON review_cases (claimed_by) WHERE closed_at IS NULL AND claimed_by IS NOT NULL;
CREATE INDEX review_cases_by_age ON review_cases (opened_at) WHERE closed_at IS NULL;
CREATE INDEX review_cases_by_ruling ON review_cases (ruling, priority DESC, id) WHERE ruling IS NOT NULL;
CREATE INDEX review_cases_by_artifact ON review_cases (artifact_id, opened_at);
CREATE INDEX review_cases_closed ON review_cases (closed_at DESC, id) WHERE closed_at IS NOT NULL;
CREATE INDEX review_cases_closed_by_task ON review_cases (task, closed_at DESC, id) WHERE closed_at IS NOT NULL;

CREATE TABLE review_rulings (
  id text PRIMARY KEY,
  case_id text NOT NULL REFERENCES review_cases (id),
  ruling text NOT NULL CHECK (ruling IN ('cheat', 'honest', 'task-defect', 'environment-fault', 'unsure')),
  technique text,
  note text NOT NULL,
  reviewer text NOT NULL,
  bulk boolean NOT NULL,
  undoes text UNIQUE REFERENCES review_rulings (id),
  idempotency_key text UNIQUE,
  at timestamptz NOT NULL,
  digest text NOT NULL,
  CHECK (undoes IS NOT NULL OR (ruling = 'cheat') = (technique IS NOT NULL))
);
CREATE INDEX review_rulings_by_case ON review_rulings (case_id, id);

ALTER TABLE verdicts ADD FOREIGN KEY (ruling_id) REFERENCES review_rulings (id);
ALTER TABLE verdicts ADD CHECK ((amends IS NULL) = (ruling_id IS NULL));

-- Who did what to which case, ruling or verdict.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  who text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL
);
CREATE INDEX audit_log_by_subject ON audit_log (subject, id);
CREATE INDEX audit_log_of_looks ON audit_log (who, at) WHERE action = 'opened';

CREATE FUNCTION refuse_review_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'rulings and the audit log are appended, never changed'; END $$;

CREATE TRIGGER review_rulings_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON review_rulings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_review_change();
CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_review_change();

-- A login that only serves the API may store verdicts, and what follows from them, where a ruling amends; never of its own.
CREATE FUNCTION only_serves_api() RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT EXISTS (SELECT 1 FROM pg_roles r WHERE r.rolname = current_user AND NOT r.rolsuper)
   AND EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'proctor_api' AND pg_has_role(current_user, oid, 'USAGE'))
   AND NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'proctor_worker' AND pg_has_role(current_user, oid, 'USAGE'))
   AND NOT EXISTS (SELECT 1 FROM pg_class WHERE oid = 'verdicts'::regclass AND pg_has_role(current_user, relowner, 'USAGE')) $$;

CREATE FUNCTION refuse_unruled_verdict() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF NEW.ruling_id IS NULL AND only_serves_api() THEN RAISE insufficient_privilege USING MESSAGE = 'only what a ruling amends is stored by the API'; END IF; RETURN NEW; END $$;
CREATE FUNCTION refuse_unruled_fact() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF only_serves_api() AND NOT EXISTS (SELECT 1 FROM verdicts WHERE id = NEW.verdict_id AND ruling_id IS NOT NULL) THEN RAISE insufficient_privilege USING MESSAGE = 'only what a ruling amends is stored by the API'; END IF; RETURN NEW; END $$;
CREATE FUNCTION refuse_unruled_reward() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF only_serves_api() AND NOT EXISTS (SELECT 1 FROM decisions d JOIN verdicts v ON v.id = d.verdict_id WHERE d.id = NEW.decision_id AND v.ruling_id IS NOT NULL) THEN RAISE insufficient_privilege USING MESSAGE = 'only what a ruling amends is stored by the API'; END IF; RETURN NEW; END $$;

CREATE TRIGGER verdicts_ruled BEFORE INSERT ON verdicts FOR EACH ROW EXECUTE FUNCTION refuse_unruled_verdict();
CREATE TRIGGER decisions_ruled BEFORE INSERT ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_unruled_fact();
CREATE TRIGGER evidence_ruled BEFORE INSERT ON evidence FOR EACH ROW EXECUTE FUNCTION refuse_unruled_fact();
CREATE TRIGGER rewards_ruled BEFORE INSERT ON rewards FOR EACH ROW EXECUTE FUNCTION refuse_unruled_reward();
