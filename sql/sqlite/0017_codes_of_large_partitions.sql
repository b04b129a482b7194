-- breaking: a Lamina that does not know of this would search small partitions by codes that are not there.
-- Only partitions that are large enough to be searched by codes have any: see src/engines/sqlite/sqlite-embedding-writes.ts. Either all
-- vectors of a partition have one, or none does. The number is where searches by codes begin; what grows beyond it later gets its codes then.
ALTER TABLE partitions ADD COLUMN is_coded INTEGER NOT NULL DEFAULT 0;

UPDATE partitions SET is_coded = 1 WHERE entry_count >= 2048;

DELETE FROM embedding_codes WHERE partition_id NOT IN (SELECT id FROM partitions WHERE is_coded = 1);

-- What moves into a partition with codes gets one by whoever moves it.
DROP TRIGGER embeddings_moved;

CREATE TRIGGER embeddings_moved AFTER UPDATE OF partition_id ON embeddings BEGIN
  DELETE FROM embedding_codes
    WHERE space_id = OLD.space_id AND partition_id = OLD.partition_id AND seq = OLD.seq;
  INSERT INTO code_changes (space_id, partition_id, seq)
    VALUES (OLD.space_id, OLD.partition_id, OLD.seq), (NEW.space_id, NEW.partition_id, NEW.seq);
END;
