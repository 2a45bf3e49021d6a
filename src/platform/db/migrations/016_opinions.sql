-- What language models that are asked as judges said of sessions.

CREATE TABLE opinions (
  artifact_id text PRIMARY KEY REFERENCES artifacts (id),
  body jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX opinions_by_time ON opinions (created_at);
