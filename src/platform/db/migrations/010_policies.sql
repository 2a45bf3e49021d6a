-- Decisions keep what they rest on, so that they can be derived again and other policies be tried on them; those from before have none.
ALTER TABLE decisions ADD COLUMN context jsonb;
ALTER TABLE decisions ADD COLUMN context_digest text;

-- What a candidate policy would have decided, beside what was; no reward rests on it.
CREATE TABLE shadow_decisions (
  id text PRIMARY KEY,
  decision_id text NOT NULL REFERENCES decisions (id),
  policy_digest text NOT NULL REFERENCES policies (digest),
  body jsonb NOT NULL,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (decision_id, policy_digest)
);
