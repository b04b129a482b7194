-- Facts: a subject, a predicate, an object; how certain; and the span in which it holds.

-- Where facts lie. All facts of a scope belong to its user, or to its layer.
CREATE TABLE fact_scopes (
  scope_id INTEGER PRIMARY KEY,
  key      TEXT    NOT NULL UNIQUE,
  owner_id TEXT    NOT NULL -- empty: belongs to its layer
) STRICT;

CREATE INDEX fact_scopes_owner ON fact_scopes (owner_id) WHERE owner_id <> '';

-- Indexes are entered by a number that stands for the scope and for some of what a fact says, which keeps them small;
-- whoever reads compares the scope and the texts as well. See src/engines/sql/fact-row.ts.
CREATE TABLE facts (
  seq              INTEGER PRIMARY KEY,
  fact_id          BLOB    NOT NULL UNIQUE, -- 16 bytes
  scope_id         INTEGER NOT NULL REFERENCES fact_scopes (scope_id) ON DELETE CASCADE,
  fact_type        TEXT    NOT NULL,
  subject          TEXT    NOT NULL,
  predicate        TEXT    NOT NULL,
  object           TEXT    NOT NULL,
  scope_hash       INTEGER NOT NULL,
  type_hash        INTEGER NOT NULL,
  subject_hash     INTEGER NOT NULL,
  slot_hash        INTEGER NOT NULL, -- subject and predicate
  predicate_hash   INTEGER NOT NULL,
  claim_hash       INTEGER NOT NULL, -- predicate and object
  object_hash      INTEGER NOT NULL,
  statement_hash   INTEGER NOT NULL, -- all four
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

CREATE INDEX facts_scope ON facts (scope_id);

-- By what it says, whether it still holds or not.
CREATE INDEX facts_statement ON facts (statement_hash);

-- What still holds, in the order in which it is listed.
CREATE INDEX facts_page ON facts (scope_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_type ON facts (type_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_subject ON facts (subject_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_slot ON facts (slot_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_predicate ON facts (predicate_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_claim ON facts (claim_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_object ON facts (object_hash, confidence, created_at, fact_id) WHERE valid_to IS NULL;

-- What has an end, by when that is. What holds now is asked for the most, and few things have an end that is yet to come.
CREATE INDEX facts_ended ON facts (scope_hash, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_subject ON facts (subject_hash, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_slot ON facts (slot_hash, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_claim ON facts (claim_hash, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_object ON facts (object_hash, valid_to) WHERE valid_to IS NOT NULL;
