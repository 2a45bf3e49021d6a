-- Sessions of subjects, and the standard log of what they did: appended, each event bound to the one before. `live_sessions` is what changes.

CREATE TABLE sessions (
  id text PRIMARY KEY,
  instance_id text NOT NULL REFERENCES instances (id),
  idempotency_key text UNIQUE,
  origin text NOT NULL,
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_by_instance ON sessions (instance_id);

CREATE TABLE session_events (
  session_id text NOT NULL REFERENCES sessions (id),
  seq integer NOT NULL CHECK (seq >= 1),
  step integer,
  type text NOT NULL,
  at timestamptz NOT NULL,
  message_id text,
  outcome text NOT NULL,
  detail jsonb NOT NULL,
  digest text NOT NULL,
  PRIMARY KEY (session_id, seq)
);

CREATE TABLE session_ends (
  session_id text PRIMARY KEY REFERENCES sessions (id),
  artifact_id text REFERENCES artifacts (id),
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX session_ends_by_artifact ON session_ends (artifact_id);

-- Sandboxes that are there: where, and how far their session is.
CREATE TABLE live_sessions (
  session_id text PRIMARY KEY REFERENCES sessions (id),
  worker_id text NOT NULL,
  node text NOT NULL,
  place jsonb NOT NULL,
  state jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX live_sessions_by_worker ON live_sessions (worker_id);

-- Where a process with workspaces is reached; null: it is reached by nobody else.
ALTER TABLE workers ADD COLUMN address text;

CREATE FUNCTION refuse_session_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'what a session did is appended, never changed'; END $$;

CREATE TRIGGER session_events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON session_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_session_change();
