-- One memory is added by short statements, and by triggers that do for one what they did for many.

-- In the place of a value that is not there because somebody was there in between: the transaction has to begin again.
CREATE FUNCTION lamina.collide() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what was there a moment ago is not any more' USING ERRCODE = 'serialization_failure';
END $$;
REVOKE EXECUTE ON FUNCTION lamina.collide() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lamina.collide() TO lamina_service;

CREATE OR REPLACE FUNCTION lamina.add_words(entries lamina.indexed_entry[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  places bigint := cardinality(entries);
  counted bigint;
BEGIN
  IF places > 1 THEN
    -- In this order everywhere: whoever writes to several partitions waits here, and for nothing below.
    PERFORM 1 FROM lamina.partitions p
      WHERE (p.tenant_id, p.id) IN (SELECT e.tenant_id, e.partition_id FROM unnest(entries) e)
      ORDER BY p.id FOR NO KEY UPDATE;
    SELECT count(DISTINCT (e.tenant_id, e.partition_id, e.audience)) INTO places FROM unnest(entries) e;
  END IF;
  UPDATE lamina.partitions p
    SET entry_count = p.entry_count + d.entry_count, lexeme_count = p.lexeme_count + d.lexeme_count
    FROM (
      SELECT e.tenant_id, e.partition_id, e.audience, count(*) AS entry_count,
             sum(cardinality(string_to_array(e.lexemes, ' '))) AS lexeme_count
      FROM unnest(entries) e GROUP BY e.tenant_id, e.partition_id, e.audience) d
    WHERE p.tenant_id = d.tenant_id AND p.id = d.partition_id AND p.audience IS NOT DISTINCT FROM d.audience;
  GET DIAGNOSTICS counted = ROW_COUNT;
  -- A reference is checked for whoever owns the table: without this an entry could be put where others alone look.
  IF counted <> places THEN
    RAISE insufficient_privilege USING MESSAGE = 'An entry has the audience of its partition.';
  END IF;
  -- Each text is taken apart once, and no row carries the text itself along.
  WITH words AS MATERIALIZED (
    SELECT e.tenant_id, e.partition_id, w.lexeme, e.seq, e.audience, count(*) AS frequency, e.length
    FROM (
      SELECT e.*, cardinality(array_remove(string_to_array(e.lexemes, ' '), '')) AS length FROM unnest(entries) e OFFSET 0) e,
      string_to_table(e.lexemes, ' ') AS w (lexeme)
    WHERE w.lexeme <> ''
    GROUP BY e.tenant_id, e.partition_id, w.lexeme, e.seq, e.audience, e.length),
  written AS (
    INSERT INTO lamina.entry_words (tenant_id, partition_id, lexeme, seq, frequency, length, audience)
    SELECT w.tenant_id, w.partition_id, w.lexeme, w.seq, w.frequency, w.length, w.audience FROM words w)
  INSERT INTO lamina.word_counts AS c (tenant_id, partition_id, lexeme, audience, documents)
    SELECT w.tenant_id, w.partition_id, w.lexeme, w.audience, count(*) FROM words w
    GROUP BY w.tenant_id, w.partition_id, w.lexeme, w.audience
    ON CONFLICT (tenant_id, partition_id, lexeme) DO UPDATE SET documents = c.documents + excluded.documents;
END $$;

-- As before, with a plan for one audience or the other.
CREATE OR REPLACE FUNCTION lamina.is_indexed(tenant uuid, partition bigint, audience text) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF $3 IS NULL THEN
    RETURN coalesce((SELECT p.entry_count > 2000 FROM lamina.partitions p WHERE p.tenant_id = $1 AND p.id = $2), false);
  END IF;
  RETURN (
    SELECT coalesce(sum(n.entry_count), 0) > 2000 FROM (
      SELECT p.entry_count FROM lamina.partitions p WHERE p.tenant_id = $1 AND p.audience = $3 LIMIT 2000) n);
END $$;

-- Said by the reference to the partition as well, which is of the same tenant, and goes with it.
ALTER TABLE lamina.entries DROP CONSTRAINT entries_tenant_id_fkey;

-- What is planned for tables that were empty a moment ago goes through all that a tenant has, and each session keeps such plans
-- until somebody looks how large the tables are. Autovacuum does, within minutes; in the first of them everything is added.
CREATE FUNCTION lamina.learn_sizes() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = 'lamina.entries'::regclass AND c.reltuples < 1000) THEN
    ANALYZE lamina.tenants, lamina.users, lamina.partitions, lamina.entries, lamina.entry_words, lamina.word_counts,
      lamina.embeddings, lamina.events;
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION lamina.learn_sizes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lamina.learn_sizes() TO lamina_service;
