-- Instances say how their bytes were made, so that a later version can make them again, and have a secret of their own
-- from which hidden inputs are drawn once the artifact is sealed. Rows from before have neither: format 1.
ALTER TABLE instances ADD COLUMN format integer NOT NULL DEFAULT 1;
ALTER TABLE instances ADD COLUMN draw_secret text;
-- JSON text, since tables are written in the order of their keys, which jsonb does not keep.
ALTER TABLE instances ADD COLUMN draws text NOT NULL DEFAULT '{}';
CREATE INDEX instances_by_task ON instances (task_digest);

-- The snapshot that the first workspace or grade of an instance was made from; all later ones are made from the same.
CREATE TABLE instance_snapshots (
  instance_id text PRIMARY KEY REFERENCES instances (id),
  snapshot text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Seeds that are known outside: they are served for evaluation only.
CREATE TABLE retired_seeds (
  task_name text NOT NULL,
  seed text NOT NULL,
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (task_name, seed)
);

-- What a subject wrote, as one digest, to find the same again under another instance of the task.
CREATE TABLE solution_prints (
  artifact_id text PRIMARY KEY REFERENCES artifacts (id),
  task_digest text NOT NULL,
  instance_digest text NOT NULL,
  print text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX solution_prints_by_print ON solution_prints (print, task_digest);
