-- Facts: a subject, a predicate, an object; how certain; and the span in which it holds.

-- Where facts lie. All facts of a scope belong to its user, or to its layer.
CREATE TABLE fact_scopes (
  scope_id INTEGER PRIMARY KEY,
  key      TEXT    NOT NULL UNIQUE,
  owner_id TEXT    NOT NULL -- empty: belongs to its layer
) STRICT;

CREATE INDEX fact_scopes_owner ON fact_scopes (owner_id) WHERE owner_id <> '';

-- Indexes hold numbers in the place of texts, which keeps them small; whoever reads compares the texts as well.
CREATE TABLE facts (
  seq              INTEGER PRIMARY KEY,
  fact_id          BLOB    NOT NULL UNIQUE, -- 16 bytes
  scope_id         INTEGER NOT NULL REFERENCES fact_scopes (scope_id) ON DELETE CASCADE,
  fact_type        TEXT    NOT NULL,
  subject          TEXT    NOT NULL,
  predicate        TEXT    NOT NULL,
  object           TEXT    NOT NULL,
  type_hash        INTEGER NOT NULL,
  subject_hash     INTEGER NOT NULL,
  predicate_hash   INTEGER NOT NULL,
  object_hash      INTEGER NOT NULL,
  statement_hash   INTEGER NOT NULL,
  confidence       REAL    NOT NULL,
  metadata         TEXT    NOT NULL,
  source_type      TEXT,
  source_reference TEXT,
  valid_from       INTEGER NOT NULL,
  valid_to         INTEGER, -- NULL: still holds
  version          INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL
) STRICT;

-- By what it says, whether it still holds or not.
CREATE INDEX facts_same ON facts (scope_id, statement_hash);

-- What still holds, in the order in which it is listed.
CREATE INDEX facts_page ON facts (scope_id, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_type ON facts (scope_id, type_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_subject ON facts (scope_id, subject_hash, predicate_hash, confidence, created_at, fact_id)
  WHERE valid_to IS NULL;
CREATE INDEX facts_predicate ON facts (scope_id, predicate_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_statement ON facts (scope_id, predicate_hash, object_hash, confidence, created_at, fact_id)
  WHERE valid_to IS NULL;
CREATE INDEX facts_object ON facts (scope_id, object_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;

-- What has an end, by when that is. What holds now is asked for the most, and few things have an end that is yet to come.
CREATE INDEX facts_ended ON facts (scope_id, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_subject ON facts (scope_id, subject_hash, predicate_hash, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_object ON facts (scope_id, object_hash, predicate_hash, valid_to) WHERE valid_to IS NOT NULL;
