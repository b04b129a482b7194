-- Pools, contexts and maintenance; accesses of state; what happens to the values of pools.

-- How an entry came about, where Lamina did it by itself.
ALTER TABLE entries ADD COLUMN provenance TEXT;

-- What is read often outlives its time out of sight, until it was looked at for good: it goes when both are over.
ALTER TABLE state ADD COLUMN access_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE state ADD COLUMN last_accessed_at INTEGER;
ALTER TABLE state ADD COLUMN kept_until INTEGER;

DROP INDEX state_expiry;
CREATE INDEX state_end ON state (coalesce(kept_until, expires_at)) WHERE expires_at IS NOT NULL;
CREATE INDEX state_frequent ON state (namespace, key) WHERE access_count > 0;

-- Events of the values of pools name the pool and the key instead of an entry, and are in no other stream.
ALTER TABLE events ADD COLUMN pool_id TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN key TEXT NOT NULL DEFAULT '';

CREATE INDEX events_pool ON events (pool_id, seq) WHERE pool_id <> '';

-- That a value came to be or was changed is written down by the one place that puts values: a trigger for it would make
-- every write of working memory a third dearer. That one went is told by a trigger, because there are many ways to go, of
-- which expiring is one. It does not know who did it, nor the time but by the clock of the machine.
CREATE TRIGGER state_pool_deleted AFTER DELETE ON state WHEN substr(OLD.namespace, 1, 8) = '["pool",'
  AND EXISTS (SELECT 1 FROM pools WHERE pool_id = json_extract(OLD.namespace, '$[1]'))
BEGIN
  INSERT INTO events (type, entry_id, version, actor_id, at, pool_id, key)
    VALUES ('deleted', '', OLD.version, '', CAST(unixepoch('subsec') * 1000 AS INTEGER),
      json_extract(OLD.namespace, '$[1]'), OLD.key);
END;

CREATE TABLE pools (
  pool_id         TEXT    PRIMARY KEY,
  owner_id        TEXT    NOT NULL,
  agent_id        TEXT,
  type            TEXT    NOT NULL,
  scope           TEXT    NOT NULL,
  scope_id        TEXT,
  workflow_run_id TEXT,
  name            TEXT,
  metadata        TEXT    NOT NULL,
  access          TEXT    NOT NULL,
  members         TEXT    NOT NULL,
  expires_at      INTEGER,
  version         INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Nobody can follow a pool that is gone: what was left of it would be nobody's, and no erasure could find it.
CREATE TRIGGER pools_forgotten AFTER DELETE ON pools BEGIN
  DELETE FROM events WHERE pool_id = OLD.pool_id AND pool_id <> '';
END;

CREATE INDEX pools_page ON pools (owner_id, created_at, pool_id);
-- What others see is looked for among what has members at all: most is its owner's alone.
CREATE INDEX pools_shared ON pools (created_at, pool_id) WHERE members <> '[]';
CREATE INDEX pools_workflow ON pools (workflow_run_id, owner_id, created_at, pool_id) WHERE workflow_run_id IS NOT NULL;
CREATE INDEX pools_expiry ON pools (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE contexts (
  context_id  TEXT    PRIMARY KEY,
  owner_id    TEXT    NOT NULL,
  agent_id    TEXT,
  type        TEXT    NOT NULL,
  scope       TEXT    NOT NULL,
  scope_id    TEXT,
  name        TEXT,
  description TEXT,
  metadata    TEXT    NOT NULL,
  access      TEXT    NOT NULL,
  members     TEXT    NOT NULL,
  status      TEXT    NOT NULL,
  archived_at INTEGER,
  version     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX contexts_page ON contexts (owner_id, created_at, context_id);
CREATE INDEX contexts_shared ON contexts (created_at, context_id) WHERE members <> '[]';

CREATE TABLE context_snapshots (
  snapshot_id TEXT    PRIMARY KEY,
  context_id  TEXT    NOT NULL,
  owner_id    TEXT    NOT NULL,
  name        TEXT,
  reason      TEXT,
  created_by  TEXT    NOT NULL,
  items       TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX context_snapshots_page ON context_snapshots (context_id, owner_id, created_at, snapshot_id);

CREATE TABLE context_accesses (
  access_id  TEXT    PRIMARY KEY,
  context_id TEXT    NOT NULL,
  owner_id   TEXT    NOT NULL,
  actor_id   TEXT    NOT NULL,
  agent_id   TEXT,
  action     TEXT    NOT NULL,
  entry_key  TEXT,
  version    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX context_accesses_page ON context_accesses (context_id, owner_id, created_at, access_id);

CREATE TABLE maintenance_runs (
  run_id      TEXT    PRIMARY KEY,
  job         TEXT    NOT NULL,
  status      TEXT    NOT NULL,
  trigger     TEXT    NOT NULL,
  dry_run     INTEGER NOT NULL,
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,
  duration_ms INTEGER,
  counts      TEXT    NOT NULL,
  changes     TEXT    NOT NULL,
  error       TEXT,
  progress    TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX maintenance_runs_page ON maintenance_runs (started_at, run_id);
CREATE INDEX maintenance_runs_job ON maintenance_runs (job, started_at, run_id);
