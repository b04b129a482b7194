-- What a scope holds lies together, also in the index by which the same content is found: by its hash first, every entry that was
-- added changed a page of its own, and in a large file read it from the disk before.
DROP INDEX entries_content;
CREATE UNIQUE INDEX entries_content ON entries (scope_key, owner_id, kind, content_hash)
  WHERE external_id IS NULL AND kind <> 'episodic';
