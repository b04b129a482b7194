-- breaking: a Lamina that does not know of keys would show what is sealed, and write beside it what is not.
-- The keys that seal what is remembered here, where it is sealed: wrapped by a master key that lies elsewhere.
CREATE TABLE data_keys (
  id          TEXT    PRIMARY KEY,
  purpose     TEXT    NOT NULL, -- data or index
  wrapped     TEXT    NOT NULL,
  master_id   TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  retired_at  INTEGER, -- NULL: in use
  complete_at INTEGER  -- of the index key: since when nothing is left unsealed
) STRICT, WITHOUT ROWID;
