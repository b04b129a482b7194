-- Which embedding spaces are in use, since the model was first changed: one row, the same for all tenants.
CREATE TABLE lamina.spaces_in_use (
  id       integer   PRIMARY KEY CHECK (id = 1),
  revision bigint    NOT NULL,
  state    json      NOT NULL, -- see src/ports/space-store.ts
  needed   integer[] NOT NULL, -- the spaces in which a write must have a vector
  kept     integer[] NOT NULL  -- and those in which it may
);

ALTER TABLE lamina.spaces_in_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE lamina.spaces_in_use FORCE ROW LEVEL SECURITY;
-- As with the models that there are: no tenant's secret. Only change_spaces writes it, which runs as the owner.
CREATE POLICY read ON lamina.spaces_in_use FOR SELECT USING (true);
CREATE POLICY owner ON lamina.spaces_in_use TO CURRENT_USER USING (true) WITH CHECK (true);
GRANT SELECT ON lamina.spaces_in_use TO lamina_service;

-- Waits for the transactions under way that have written vectors, so that those which come later go by what is written here.
-- False where somebody else was faster.
CREATE FUNCTION lamina.change_spaces(revision bigint, state json, needed integer[], kept integer[]) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changed bigint;
BEGIN
  IF NOT lamina.is_directory() THEN
    RAISE EXCEPTION 'only who answers for all tenants changes the model' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('lamina.spaces_in_use'));
  INSERT INTO lamina.spaces_in_use AS u (id, revision, state, needed, kept)
    SELECT 1, $1, $2, $3, $4
    WHERE $1 = 1 OR EXISTS (SELECT 1 FROM lamina.spaces_in_use x WHERE x.revision = $1 - 1)
    ON CONFLICT (id) DO UPDATE
    SET revision = excluded.revision, state = excluded.state, needed = excluded.needed, kept = excluded.kept
    WHERE u.revision = excluded.revision - 1;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed > 0;
END $$;

-- Before vectors are written: refuses where not each write has one in every space that is needed. Two statements, so that
-- the second sees what was changed while the first waited.
CREATE FUNCTION lamina.use_spaces(spaces integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('lamina.spaces_in_use'));
  IF EXISTS (SELECT 1 FROM lamina.spaces_in_use u WHERE NOT u.needed <@ $1) THEN
    RAISE EXCEPTION 'the embedding model was changed' USING ERRCODE = 'LA001';
  END IF;
END $$;

REVOKE EXECUTE ON FUNCTION lamina.change_spaces(bigint, json, integer[], integer[]), lamina.use_spaces(integer[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lamina.change_spaces(bigint, json, integer[], integer[]), lamina.use_spaces(integer[]) TO lamina_service;
