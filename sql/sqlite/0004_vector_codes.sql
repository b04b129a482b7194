-- A bit for each dimension of a vector, by which large partitions are searched before vectors are compared. Derived, in
-- a table of its own: reading 100,000 codes takes a tenth of the time of comparing as many vectors. Only of vectors whose
-- bits fill whole words of 64. Everything here is kept by triggers, so that no way of writing can forget it.
CREATE TABLE embedding_codes (
  space_id     INTEGER NOT NULL,
  partition_id INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  code         BLOB    NOT NULL,
  PRIMARY KEY (space_id, partition_id, seq)
) STRICT, WITHOUT ROWID;

-- What changed otherwise than by a new entry, lately: by this whoever holds codes in memory learns which ones to read
-- again. New entries are not in it, because they have a higher number than all before them.
CREATE TABLE code_changes (
  change       INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id     INTEGER NOT NULL,
  partition_id INTEGER NOT NULL,
  seq          INTEGER NOT NULL
) STRICT;

-- The number is known to the code that reads the log.
CREATE TRIGGER code_changes_kept AFTER INSERT ON code_changes BEGIN
  DELETE FROM code_changes WHERE change <= NEW.change - 4096;
END;

-- An entry that is not the newest, or has a past, was there before.
CREATE TRIGGER embeddings_coded AFTER INSERT ON embeddings WHEN length(NEW.vector) % 256 = 0 BEGIN
  INSERT OR REPLACE INTO embedding_codes (space_id, partition_id, seq, code)
    VALUES (NEW.space_id, NEW.partition_id, NEW.seq, vec_quantize_binary(NEW.vector));
  INSERT INTO code_changes (space_id, partition_id, seq)
    SELECT NEW.space_id, NEW.partition_id, NEW.seq
    WHERE NEW.seq < (SELECT seq FROM sqlite_sequence WHERE name = 'entries')
      OR EXISTS (SELECT 1 FROM entry_versions WHERE seq = NEW.seq);
END;

CREATE TRIGGER embeddings_uncoded AFTER DELETE ON embeddings BEGIN
  DELETE FROM embedding_codes
    WHERE space_id = OLD.space_id AND partition_id = OLD.partition_id AND seq = OLD.seq;
  INSERT INTO code_changes (space_id, partition_id, seq) VALUES (OLD.space_id, OLD.partition_id, OLD.seq);
END;

CREATE TRIGGER embeddings_moved AFTER UPDATE OF partition_id ON embeddings BEGIN
  UPDATE embedding_codes SET partition_id = NEW.partition_id
    WHERE space_id = OLD.space_id AND partition_id = OLD.partition_id AND seq = OLD.seq;
  INSERT INTO code_changes (space_id, partition_id, seq)
    VALUES (OLD.space_id, OLD.partition_id, OLD.seq), (NEW.space_id, NEW.partition_id, NEW.seq);
END;

INSERT INTO embedding_codes (space_id, partition_id, seq, code)
  SELECT space_id, partition_id, seq, vec_quantize_binary(vector) FROM embeddings WHERE length(vector) % 256 = 0;
