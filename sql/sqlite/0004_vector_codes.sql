-- Codes, by which large partitions are searched before vectors are compared: for each value of a vector whether it is
-- low, middling or high, as two bits. Derived, and in a table of its own: reading codes takes a fifth of the time of
-- comparing as many vectors. Everything here is kept by triggers, so that no way of writing can forget it.

-- From where on a value is high, for all values alike: where three steps keep the most of a normal distribution with the
-- deviation that the values of a vector of unit length have. NULL where bits do not fill whole words of 64: then there
-- are no codes, and vectors are compared one by one.
ALTER TABLE embedding_spaces ADD COLUMN step BLOB;

UPDATE embedding_spaces SET step =
  vec_f32('[' || rtrim(replace(hex(zeroblob(dimensions)), '00', format('%.9g,', 0.612 / sqrt(dimensions))), ',') || ']')
  WHERE dimensions % 64 = 0;

CREATE TRIGGER embedding_spaces_stepped AFTER INSERT ON embedding_spaces WHEN NEW.dimensions % 64 = 0 BEGIN
  UPDATE embedding_spaces SET step =
    vec_f32('[' || rtrim(replace(hex(zeroblob(NEW.dimensions)), '00', format('%.9g,', 0.612 / sqrt(NEW.dimensions))), ',') || ']')
    WHERE id = NEW.id;
END;

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
CREATE TRIGGER embeddings_coded AFTER INSERT ON embeddings BEGIN
  INSERT OR REPLACE INTO embedding_codes (space_id, partition_id, seq, code)
    SELECT NEW.space_id, NEW.partition_id, NEW.seq,
      CAST(vec_quantize_binary(vec_add(NEW.vector, s.step)) || vec_quantize_binary(vec_sub(NEW.vector, s.step)) AS BLOB)
    FROM embedding_spaces s WHERE s.id = NEW.space_id AND s.step IS NOT NULL;
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
  SELECT v.space_id, v.partition_id, v.seq,
    CAST(vec_quantize_binary(vec_add(v.vector, s.step)) || vec_quantize_binary(vec_sub(v.vector, s.step)) AS BLOB)
  FROM embedding_spaces s CROSS JOIN embeddings v ON v.space_id = s.id WHERE s.step IS NOT NULL;
