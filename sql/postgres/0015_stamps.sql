-- Whatever is written to a partition writes its row anew, so that whoever remembers what lies there can see by that row (its
-- xmin and ctid) whether anything has changed since. Adding, removing and changing a text did so already, to count the words.
CREATE FUNCTION lamina.entries_restated() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  restated bigint[] := ARRAY(
    SELECT DISTINCT n.partition_id FROM new_rows n JOIN old_rows o USING (tenant_id, seq)
    WHERE n.partition_id = o.partition_id AND n.audience IS NOT DISTINCT FROM o.audience AND n.lexemes = o.lexemes);
BEGIN
  -- In this order everywhere.
  PERFORM 1 FROM lamina.partitions p
    WHERE p.id = ANY (restated) AND p.tenant_id IN (SELECT n.tenant_id FROM new_rows n) ORDER BY p.id FOR NO KEY UPDATE;
  UPDATE lamina.partitions p SET layer = p.layer
    WHERE p.id = ANY (restated) AND p.tenant_id IN (SELECT n.tenant_id FROM new_rows n);
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION lamina.entries_restated() FROM PUBLIC;

CREATE TRIGGER entries_restated AFTER UPDATE ON lamina.entries
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION lamina.entries_restated();
