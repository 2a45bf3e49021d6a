-- Rewards by run and group, what callers said of the items that they brought, and who is told of what by a call of ours.

-- The siblings of a hand-in: the rollouts of one prompt in one run.
CREATE INDEX artifacts_by_run_group ON artifacts (run_id, (labels->>'group')) WHERE run_id IS NOT NULL;

-- One row for each item of a reward call that has a request id or said something of itself. All of `said` is the caller's word;
-- what is long of it (prompt, response, trajectory) is one blob.
CREATE TABLE reward_items (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id text NOT NULL,
  request_id text,
  item_id text NOT NULL,
  place integer NOT NULL,
  artifact_id text NOT NULL REFERENCES artifacts (id),
  said jsonb NOT NULL,
  blob text,
  digest text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (key_id, request_id, item_id)
);
CREATE INDEX reward_items_by_artifact ON reward_items (artifact_id);

-- What a person should know of a run; each kind once.
CREATE TABLE run_alarms (
  run_id text NOT NULL REFERENCES runs (id),
  kind text NOT NULL,
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, kind)
);

-- The secret is kept as it is, since every message is signed with it. A webhook is ended, never removed.
CREATE TABLE webhooks (
  id text PRIMARY KEY,
  key_id text NOT NULL,
  url text NOT NULL,
  run_id text,
  events text[] NOT NULL,
  secret text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);

-- What is to be told, written with what it tells of. `due_at` is also the claim: who takes a message moves it on.
CREATE TABLE webhook_messages (
  id text PRIMARY KEY,
  webhook_id text NOT NULL REFERENCES webhooks (id),
  type text NOT NULL,
  body jsonb NOT NULL,
  state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'delivered', 'given-up')),
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  last_answer text,
  created_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz
);
CREATE INDEX webhook_messages_due ON webhook_messages (due_at) WHERE state = 'due';
CREATE INDEX webhook_messages_by_webhook ON webhook_messages (webhook_id, created_at);
