-- Episodes are listed by when they happened, which need not be when they were written down.
CREATE INDEX entries_timeline ON entries (partition_id, coalesce(valid_from, created_at), id);

-- All scopes of a user in a personal layer: the key of a scope names the user right after the layer.
CREATE INDEX partitions_user ON partitions (layer, json_extract(json_extract(key, '$[2]'), '$[1]'));

-- Working memory and other state: a JSON value under a key in a namespace.
CREATE TABLE state (
  namespace  TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  value      TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (namespace, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX state_expiry ON state (expires_at) WHERE expires_at IS NOT NULL;

-- Versions of state come from here and never repeat, also when a value is deleted and written again.
CREATE TABLE state_clock (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL
) STRICT;

INSERT INTO state_clock (id, version) VALUES (1, 0);

-- Versions of records likewise: one that was deleted and made again never has a version that someone remembers.
CREATE TABLE record_clock (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL
) STRICT;

INSERT INTO record_clock (id, version) VALUES (1, 0);

CREATE TABLE plans (
  plan_id        TEXT    PRIMARY KEY,
  user_id        TEXT    NOT NULL,
  session_id     TEXT,
  parent_plan_id TEXT,
  goal_event     TEXT    NOT NULL,
  goal_data      TEXT    NOT NULL,
  response_event TEXT,
  status         TEXT    NOT NULL,
  state          TEXT    NOT NULL,
  version        INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX plans_page ON plans (user_id, created_at, plan_id);
CREATE INDEX plans_status ON plans (user_id, status, created_at, plan_id);
CREATE INDEX plans_session ON plans (session_id, user_id, created_at, plan_id) WHERE session_id IS NOT NULL;

CREATE TABLE plan_context (
  plan_id         TEXT    PRIMARY KEY,
  session_id      TEXT,
  goal_event      TEXT    NOT NULL,
  goal_data       TEXT    NOT NULL,
  response_event  TEXT,
  state           TEXT    NOT NULL,
  current_state   TEXT,
  correlation_ids TEXT    NOT NULL,
  version         INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX plan_context_session ON plan_context (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE sessions (
  session_id       TEXT    PRIMARY KEY,
  user_id          TEXT    NOT NULL,
  agent_id         TEXT,
  name             TEXT,
  metadata         TEXT    NOT NULL,
  last_interaction INTEGER NOT NULL,
  ended_at         INTEGER,
  version          INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_page ON sessions (user_id, last_interaction, session_id);

CREATE TABLE task_context (
  task_id        TEXT    PRIMARY KEY,
  plan_id        TEXT,
  event_type     TEXT    NOT NULL,
  response_event TEXT,
  response_topic TEXT    NOT NULL,
  data           TEXT    NOT NULL,
  sub_tasks      TEXT    NOT NULL,
  state          TEXT    NOT NULL,
  version        INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX task_context_plan ON task_context (plan_id) WHERE plan_id IS NOT NULL;

-- Which record lists a value among its links: the parent of a sub-task, the plan of a correlation id.
CREATE TABLE record_links (
  collection TEXT NOT NULL,
  link       TEXT NOT NULL,
  key        TEXT NOT NULL,
  PRIMARY KEY (collection, link, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX record_links_key ON record_links (collection, key);

CREATE TABLE api_keys (
  key_id       TEXT    PRIMARY KEY,
  name         TEXT    NOT NULL,
  user_id      TEXT    NOT NULL,
  agent_id     TEXT,
  roles        TEXT    NOT NULL,
  secret_hash  TEXT    NOT NULL,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER,
  version      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- People and autonomous agents that have written here; made when they first do.
CREATE TABLE users (
  id         TEXT    PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Administrative acts. Never says what was erased, only that, when and how much.
CREATE TABLE audit_log (
  id      TEXT    PRIMARY KEY,
  action  TEXT    NOT NULL,
  actor   TEXT    NOT NULL,
  details TEXT    NOT NULL,
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_log_page ON audit_log (at, id);
