-- Who is logged in to the pages. Only a digest of the cookie is stored.
CREATE TABLE web_sessions (
  digest text PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('reviewer', 'admin')),
  -- the key that was exchanged; null: by OpenID Connect. When it is revoked, so is this
  key_id text REFERENCES api_keys (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX web_sessions_by_expiry ON web_sessions (expires_at);
