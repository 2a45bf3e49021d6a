-- Rows are appended and refer to the row before by id and digest; nothing is updated, except that a key is revoked.

CREATE TABLE tasks (
  digest text PRIMARY KEY,
  name text NOT NULL,
  files jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Which digest a task's name stands for: the newest registration.
CREATE TABLE task_registrations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  task_digest text NOT NULL REFERENCES tasks (digest),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX task_registrations_by_name ON task_registrations (name, id);

CREATE TABLE instances (
  id text PRIMARY KEY,
  task_digest text NOT NULL REFERENCES tasks (digest),
  seed text NOT NULL,
  seed_drawn boolean NOT NULL,
  parameters jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE artifacts (
  id text PRIMARY KEY,
  instance_id text NOT NULL REFERENCES instances (id),
  idempotency_key text UNIQUE,
  manifest jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX artifacts_by_instance ON artifacts (instance_id);

CREATE TABLE screenings (
  artifact_id text PRIMARY KEY REFERENCES artifacts (id),
  detectors jsonb NOT NULL,
  signals jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE grades (
  id text PRIMARY KEY,
  artifact_id text NOT NULL REFERENCES artifacts (id),
  round integer NOT NULL,
  body jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (artifact_id, round)
);

CREATE TABLE verdicts (
  id text PRIMARY KEY,
  artifact_id text NOT NULL REFERENCES artifacts (id),
  grade_id text NOT NULL UNIQUE REFERENCES grades (id),
  body jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verdicts_by_artifact ON verdicts (artifact_id);

CREATE TABLE policies (
  digest text PRIMARY KEY,
  name text NOT NULL,
  source text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE decisions (
  id text PRIMARY KEY,
  verdict_id text NOT NULL UNIQUE REFERENCES verdicts (id),
  policy_digest text NOT NULL REFERENCES policies (digest),
  body jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE rewards (
  id text PRIMARY KEY,
  artifact_id text NOT NULL REFERENCES artifacts (id),
  decision_id text NOT NULL UNIQUE REFERENCES decisions (id),
  body jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX rewards_by_artifact ON rewards (artifact_id);

CREATE TABLE attempts (
  id text PRIMARY KEY,
  step text NOT NULL,
  subject_id text NOT NULL,
  error_code text NOT NULL,
  message text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX attempts_by_subject ON attempts (subject_id, step);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL,
  secret_digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
