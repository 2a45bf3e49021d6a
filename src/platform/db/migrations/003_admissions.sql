-- What audits found of a task; the newest one of a digest counts.
CREATE TABLE admissions (
  id text PRIMARY KEY,
  task_digest text NOT NULL REFERENCES tasks (digest),
  gate text NOT NULL CHECK (gate IN ('admitted', 'needs work')),
  report jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX admissions_by_task ON admissions (task_digest, id);
