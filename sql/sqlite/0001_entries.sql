-- One file per tenant, so no table names a tenant. Times are milliseconds since the epoch.

-- Where entries lie: a scope, a kind and an audience. Both indexes are organised by it, so that a search touches
-- nothing but the partitions that it may see. The counters are what BM25 needs to know of a partition.
CREATE TABLE partitions (
  id           INTEGER PRIMARY KEY,
  key          TEXT    NOT NULL UNIQUE,
  layer        TEXT    NOT NULL,
  entry_count  INTEGER NOT NULL DEFAULT 0,
  lexeme_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE entries (
  seq               INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT    NOT NULL UNIQUE,
  partition_id      INTEGER NOT NULL REFERENCES partitions (id),
  scope_key         TEXT    NOT NULL,
  owner_id          TEXT    NOT NULL, -- empty: belongs to its layer
  kind              TEXT    NOT NULL,
  layer             TEXT    NOT NULL,
  identifiers       TEXT    NOT NULL,
  content           TEXT    NOT NULL,
  content_hash      TEXT    NOT NULL,
  external_id       TEXT,
  metadata          TEXT    NOT NULL,
  tags              TEXT    NOT NULL,
  source_type       TEXT,
  source_reference  TEXT,
  knowledge_pointer TEXT,
  sensitivity       TEXT    NOT NULL,
  visibility        TEXT    NOT NULL,
  status            TEXT    NOT NULL,
  importance        REAL    NOT NULL,
  confidence        REAL    NOT NULL,
  relevance         REAL    NOT NULL,
  decay_factor      REAL    NOT NULL,
  role              TEXT,
  turn              INTEGER,
  trigger_condition TEXT,
  procedure_type    TEXT,
  version           INTEGER NOT NULL,
  valid_from        INTEGER,
  valid_to          INTEGER,
  expires_at        INTEGER,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  access_count      INTEGER NOT NULL DEFAULT 0,
  last_accessed_at  INTEGER,
  lexemes           TEXT    NOT NULL  -- what the text index holds, joined by spaces
) STRICT;

CREATE UNIQUE INDEX entries_external_id ON entries (external_id, scope_key, owner_id, kind)
  WHERE external_id IS NOT NULL;

-- Episodes are occurrences, and an external id wins over the content: both may repeat a content.
CREATE UNIQUE INDEX entries_content ON entries (content_hash, scope_key, owner_id, kind)
  WHERE external_id IS NULL AND kind <> 'episodic';

CREATE INDEX entries_named_content ON entries (content_hash) WHERE external_id IS NOT NULL;
CREATE INDEX entries_page ON entries (partition_id, created_at, id);
CREATE INDEX entries_owner ON entries (owner_id, created_at, id);
CREATE INDEX entries_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;

-- Superseded states, whole. The current one is in entries.
CREATE TABLE entry_versions (
  seq         INTEGER NOT NULL REFERENCES entries (seq) ON DELETE CASCADE,
  version     INTEGER NOT NULL,
  entry       TEXT    NOT NULL,
  replaced_at INTEGER NOT NULL,
  PRIMARY KEY (seq, version)
) STRICT, WITHOUT ROWID;

-- Each word is stored as PARTITION·LEXEME, so that the posting list of a word is that of one partition. The text
-- itself is not kept a second time. The ascii tokenizer leaves everything beyond ASCII as it is.
CREATE VIRTUAL TABLE entry_text USING fts5 (words, content = '', tokenize = 'ascii');

-- Deleted words leave the index at once and not when segments happen to be merged. That needs the 'delete' command
-- with the words: what contentless_delete removes is only marked, and stays readable in the file.
INSERT INTO entry_text (entry_text, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE entry_terms USING fts5vocab (entry_text, row);

CREATE TABLE embedding_spaces (
  id         INTEGER PRIMARY KEY,
  model      TEXT    NOT NULL,
  dimensions INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (model, dimensions)
) STRICT;

-- Clustered by partition: the vectors that a search compares lie side by side. Float32, unit length. The partition is
-- the entry's and needs no reference of its own: without an index led by it, each partition that empties would cost a
-- walk over all vectors.
CREATE TABLE embeddings (
  space_id     INTEGER NOT NULL REFERENCES embedding_spaces (id),
  partition_id INTEGER NOT NULL,
  seq          INTEGER NOT NULL REFERENCES entries (seq) ON DELETE CASCADE,
  vector       BLOB    NOT NULL,
  PRIMARY KEY (space_id, partition_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX embeddings_entry ON embeddings (seq);

-- What happened, without what it said: an event must not outlive the text that it is about.
CREATE TABLE events (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  type     TEXT    NOT NULL CHECK (type IN ('created', 'updated', 'deleted')),
  entry_id TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  actor_id TEXT    NOT NULL,
  at       INTEGER NOT NULL
) STRICT;
