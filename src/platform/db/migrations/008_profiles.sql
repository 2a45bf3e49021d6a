-- How honest sessions of a cohort behave: immutable, named by its digest. JSON text: thousands of sorted numbers, read as a whole.
CREATE TABLE profile_references (
  digest text PRIMARY KEY,
  task_name text NOT NULL,
  policy_window text NOT NULL,
  sessions integer NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX profile_references_by_task ON profile_references (task_name, created_at);
