-- breaking: a Lamina that does not know of this would store vectors without their codes.
-- The code of a vector is written beside it by src/engines/sqlite/sqlite-embedding-writes.ts. While a trigger wrote it, SQLite kept a
-- copy of every page that a vector changed, to be able to take the statement back: more than half the time of adding entries.
DROP TRIGGER embeddings_coded;
