-- Whoever has few vectors is searched by comparing all of them, so that HNSW, which takes most of the time of a write, need not
-- hold them. A search over more goes through the index, and compares what is not in it: as many at most as are few for each.
-- What was there before is in the index.
ALTER TABLE lamina.embeddings ADD COLUMN is_indexed boolean NOT NULL DEFAULT true;

DROP INDEX lamina.embeddings_partition;
CREATE INDEX embeddings_partition ON lamina.embeddings (tenant_id, space_id, partition_id, is_indexed);

-- Whether a vector that comes to a partition belongs into the index: by how much there is of the only one who sees it, whose
-- memory may lie in many partitions, each with one entry at least; of what everyone sees, by how much there is in its place.
CREATE FUNCTION lamina.is_indexed(tenant uuid, partition bigint, audience text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT coalesce(sum(n.entry_count), 0) > 2000 FROM (
      (SELECT p.entry_count FROM lamina.partitions p WHERE $3 IS NULL AND p.tenant_id = $1 AND p.id = $2)
      UNION ALL
      (SELECT p.entry_count FROM lamina.partitions p WHERE p.tenant_id = $1 AND p.audience = $3 LIMIT 2000)) n);
END $$;
REVOKE EXECUTE ON FUNCTION lamina.is_indexed(uuid, bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lamina.is_indexed(uuid, bigint, text) TO lamina_service;

-- What moves to where there is much is indexed there, lest archives fill up with what is not.
CREATE OR REPLACE FUNCTION lamina.entries_updated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  before lamina.indexed_entry[] := ARRAY(
    SELECT (o.tenant_id, o.partition_id, o.audience, o.seq, o.lexemes)::lamina.indexed_entry
    FROM new_rows n JOIN old_rows o USING (tenant_id, seq)
    WHERE n.partition_id <> o.partition_id OR n.audience IS DISTINCT FROM o.audience OR n.lexemes <> o.lexemes);
BEGIN
  IF cardinality(before) > 0 THEN
    PERFORM lamina.remove_words(before);
    PERFORM lamina.add_words(ARRAY(
      SELECT (n.tenant_id, n.partition_id, n.audience, n.seq, n.lexemes)::lamina.indexed_entry
      FROM new_rows n JOIN old_rows o USING (tenant_id, seq)
      WHERE n.partition_id <> o.partition_id OR n.audience IS DISTINCT FROM o.audience OR n.lexemes <> o.lexemes));
    UPDATE lamina.embeddings v
      SET partition_id = n.partition_id, audience = n.audience,
          is_indexed = v.is_indexed OR lamina.is_indexed(n.tenant_id, n.partition_id, n.audience)
      FROM new_rows n JOIN old_rows o USING (tenant_id, seq)
      WHERE v.tenant_id = n.tenant_id AND v.seq = n.seq AND n.partition_id <> o.partition_id;
    PERFORM lamina.remove_empty_partitions(before);
  END IF;
  RETURN NULL;
END $$;

-- The index of a space, where it can have one: what has too many dimensions for an index of whole numbers has one of halves;
-- what has too many for that is compared one by one.
CREATE FUNCTION lamina.make_space_index(space integer, dimensions integer) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  type text := CASE WHEN $2 <= 2000 THEN 'vector' WHEN $2 <= 4000 THEN 'halfvec' END;
  home text := (SELECT n.nspname FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'vector');
BEGIN
  IF type IS NULL THEN RETURN; END IF;
  EXECUTE format(
    'CREATE INDEX embeddings_space_%1$s ON lamina.embeddings '
    'USING hnsw ((vector::%2$I.%3$I(%4$s)) %2$I.%5$I) WHERE space_id = %1$s AND is_indexed',
    $1, home, type, $2, type || '_cosine_ops');
END $$;
REVOKE EXECUTE ON FUNCTION lamina.make_space_index(integer, integer) FROM PUBLIC;

CREATE OR REPLACE FUNCTION lamina.open_space(model text, dimensions integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  space integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('lamina.open_space'));
  SELECT s.id INTO space FROM lamina.embedding_spaces s WHERE s.model = $1 AND s.dimensions = $2;
  IF space IS NOT NULL THEN RETURN space; END IF;
  INSERT INTO lamina.embedding_spaces AS s (model, dimensions) VALUES ($1, $2) RETURNING s.id INTO space;
  PERFORM lamina.make_space_index(space, $2);
  RETURN space;
END $$;

-- An index from before holds everything, which is right too. Where there is little it is made anew at once; where there is much
-- that takes a while, and docs/postgres.md says how to do it meanwhile.
DO $$
DECLARE
  known record;
BEGIN
  IF pg_relation_size('lamina.embeddings') > 16 * 1024 * 1024 THEN RETURN; END IF;
  FOR known IN SELECT s.id, s.dimensions FROM lamina.embedding_spaces s LOOP
    EXECUTE format('DROP INDEX IF EXISTS lamina.embeddings_space_%s', known.id);
    PERFORM lamina.make_space_index(known.id, known.dimensions);
  END LOOP;
END $$;
