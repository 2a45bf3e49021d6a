-- What sessions did, as short prints that are alike where the sessions are, and the groups that sessions of a cohort fall into.

CREATE TABLE trajectory_prints (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id text NOT NULL REFERENCES sessions (id),
  kind text NOT NULL CHECK (kind IN ('actions', 'artifact')),
  cohort text NOT NULL,
  print bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (session_id, kind)
);

-- One row for each band of a print; the key holds the cohort and the kind, too, so that one probe of the index is enough.
CREATE TABLE trajectory_bands (
  key bigint NOT NULL,
  print_id bigint NOT NULL REFERENCES trajectory_prints (id),
  PRIMARY KEY (key, print_id)
);

-- A fit of a cohort's clusters: immutable, named by its digest, read as a whole.
CREATE TABLE clusterings (
  digest text PRIMARY KEY,
  cohort text NOT NULL,
  sessions integer NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX clusterings_by_cohort ON clusterings (cohort, created_at);

-- What a person said of a cluster; the newest of a label counts.
CREATE TABLE cluster_rulings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cohort text NOT NULL,
  label text NOT NULL,
  clustering text NOT NULL REFERENCES clusterings (digest),
  state text NOT NULL CHECK (state IN ('reviewed-honest', 'reviewed-cheat', 'harness-bug')),
  reviewer text NOT NULL,
  note text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX cluster_rulings_by_cohort ON cluster_rulings (cohort, label, id);
