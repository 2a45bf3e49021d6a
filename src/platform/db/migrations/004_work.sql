-- What is due, and who works on it. Unlike the records these rows change: one is made with its hand-in and removed after its reward.

CREATE TABLE workers (
  id text PRIMARY KEY,
  name text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);

CREATE TABLE work (
  artifact_id text PRIMARY KEY REFERENCES artifacts (id),
  worker_id text,
  token bigint NOT NULL DEFAULT 0,
  claimed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX work_by_age ON work (created_at, artifact_id);

INSERT INTO work (artifact_id, created_at)
  SELECT a.id, a.created_at FROM artifacts a WHERE NOT EXISTS (SELECT 1 FROM rewards r WHERE r.artifact_id = a.id);
