-- Training and evaluation runs that hand-ins and sessions belong to, and profiles as rows.

CREATE TABLE runs (
  id text PRIMARY KEY,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'cancelled')),
  reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE artifacts ADD COLUMN run_id text REFERENCES runs (id);
ALTER TABLE artifacts ADD COLUMN labels jsonb NOT NULL DEFAULT '{}';
CREATE INDEX artifacts_by_run ON artifacts (run_id, created_at) WHERE run_id IS NOT NULL;

ALTER TABLE sessions ADD COLUMN run_id text REFERENCES runs (id);
ALTER TABLE sessions ADD COLUMN labels jsonb NOT NULL DEFAULT '{}';
CREATE INDEX sessions_by_run ON sessions (run_id, created_at) WHERE run_id IS NOT NULL;

CREATE TABLE profiles (
  id text PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id),
  artifact_id text REFERENCES artifacts (id),
  cohort text NOT NULL,
  score_version text NOT NULL,
  -- '' where there was no reference to compare with
  reference text NOT NULL,
  p double precision,
  body jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (session_id, reference, score_version)
);
CREATE INDEX profiles_by_artifact ON profiles (artifact_id, created_at);
CREATE INDEX profiles_by_cohort ON profiles (cohort, created_at);
