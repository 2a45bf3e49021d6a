-- One signed record for each verdict, in one chain: `position` has no gaps, and no two records follow the same one.

CREATE TABLE evidence (
  position bigint PRIMARY KEY CHECK (position >= 1),
  verdict_id text NOT NULL UNIQUE REFERENCES verdicts (id),
  previous text UNIQUE REFERENCES evidence (digest),
  record jsonb NOT NULL,
  digest text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((position = 1) = (previous IS NULL))
);

CREATE FUNCTION refuse_evidence_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'evidence is appended, never changed'; END $$;

CREATE TRIGGER evidence_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON evidence
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_evidence_change();
