-- Who sees and changes which rows. Each table: enabled, forced, and by what the transaction says for whom it is.
-- The calls stand in subqueries so that they are made once for a statement and not once for a row.

DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT t.tablename FROM pg_tables t WHERE t.schemaname = 'lamina' LOOP
    EXECUTE format('ALTER TABLE lamina.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lamina.%I FORCE ROW LEVEL SECURITY', name);
  END LOOP;
  -- The planner takes every tenant for one of average size, so that where most are small it would rather go through all
  -- that a tenant has than look up a few rows in it. Let it take each for a large one.
  FOR name IN
    SELECT c.table_name FROM information_schema.columns c
    WHERE c.table_schema = 'lamina' AND c.column_name = 'tenant_id'
  LOOP
    EXECUTE format('ALTER TABLE lamina.%I ALTER COLUMN tenant_id SET (n_distinct = 50)', name);
  END LOOP;
  -- What belongs to a tenant and is shared in it.
  FOREACH name IN ARRAY ARRAY['state', 'plan_context', 'task_context', 'record_links'] LOOP
    EXECUTE format(
      'CREATE POLICY tenant ON lamina.%I
         USING (tenant_id = (SELECT lamina.current_tenant()))
         WITH CHECK (tenant_id = (SELECT lamina.current_tenant()))', name);
  END LOOP;
  -- What belongs to a user.
  FOREACH name IN ARRAY ARRAY['plans', 'sessions'] LOOP
    EXECUTE format(
      'CREATE POLICY own ON lamina.%I
         USING (tenant_id = (SELECT lamina.current_tenant())
           AND (user_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())))
         WITH CHECK (tenant_id = (SELECT lamina.current_tenant())
           AND (user_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())))', name);
  END LOOP;
  -- What lies in a partition is read by everyone or by one. The text index is written by the triggers alone, which run
  -- as the owner.
  FOREACH name IN ARRAY ARRAY['partitions', 'entry_words', 'word_counts', 'embeddings'] LOOP
    EXECUTE format(
      'CREATE POLICY read ON lamina.%I FOR SELECT
         USING (tenant_id = (SELECT lamina.current_tenant())
           AND (audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())))',
      name);
    EXECUTE format(
      'CREATE POLICY owner ON lamina.%I TO CURRENT_USER
         USING (tenant_id = (SELECT lamina.current_tenant()))
         WITH CHECK (tenant_id = (SELECT lamina.current_tenant()))', name);
  END LOOP;
END $$;

CREATE POLICY own ON lamina.tenants
  USING (id = (SELECT lamina.current_tenant())) WITH CHECK (id = (SELECT lamina.current_tenant()));
CREATE POLICY directory ON lamina.tenants FOR SELECT USING ((SELECT lamina.is_directory()));

CREATE POLICY own ON lamina.users
  USING (tenant_id = (SELECT lamina.current_tenant())
    AND (id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant())
    AND (id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
-- What wipes everything is never done by the way: a forgotten condition must not do it.
CREATE POLICY removal ON lamina.tenants AS RESTRICTIVE FOR DELETE USING ((SELECT lamina.is_administration()));
CREATE POLICY removal ON lamina.users AS RESTRICTIVE FOR DELETE USING ((SELECT lamina.is_administration()));
-- An administrator makes keys for users who have not been here yet.
CREATE POLICY welcome ON lamina.users FOR INSERT WITH CHECK (tenant_id = (SELECT lamina.current_tenant()));

CREATE POLICY insert ON lamina.partitions FOR INSERT
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant())
    AND (audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
-- To wait for others who write there; of the columns that it may change, the key leaves no choice.
CREATE POLICY lock ON lamina.partitions FOR UPDATE
  USING (tenant_id = (SELECT lamina.current_tenant())
    AND (audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
CREATE POLICY directory ON lamina.partitions FOR SELECT USING ((SELECT lamina.is_directory()));

-- Everyone of the audience reads an entry; who owns it, or everyone where its layer does, changes it.
CREATE POLICY read ON lamina.entries FOR SELECT
  USING (tenant_id = (SELECT lamina.current_tenant())
    AND (audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
CREATE POLICY insert ON lamina.entries FOR INSERT
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant())
    AND (owner_id IS NULL OR owner_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
CREATE POLICY change ON lamina.entries FOR UPDATE
  USING (tenant_id = (SELECT lamina.current_tenant())
    AND (owner_id IS NULL OR owner_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant())
    AND (owner_id IS NULL OR owner_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
CREATE POLICY remove ON lamina.entries FOR DELETE
  USING (tenant_id = (SELECT lamina.current_tenant())
    AND (owner_id IS NULL OR owner_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));

-- The past of an entry is seen by who sees the entry and written by who changes it; the subqueries obey the policies
-- of the entries in turn.
CREATE POLICY read ON lamina.entry_versions FOR SELECT
  USING (tenant_id = (SELECT lamina.current_tenant()) AND EXISTS (
    SELECT 1 FROM lamina.entries e WHERE e.tenant_id = entry_versions.tenant_id AND e.seq = entry_versions.seq));

-- Written by who changes the entry. By command and not for all of them, so that reading does not look at entries again.
DO $$
DECLARE
  name text;
  changes text := 'tenant_id = (SELECT lamina.current_tenant()) AND EXISTS (
    SELECT 1 FROM lamina.entries e WHERE e.tenant_id = %1$I.tenant_id AND e.seq = %1$I.seq
      AND (e.owner_id IS NULL OR e.owner_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration()))';
  ends text;
BEGIN
  FOREACH name IN ARRAY ARRAY['entry_versions', 'embeddings'] LOOP
    -- Compared in a way that no index knows: there is one entry of that number, and many in that partition.
    ends := CASE name WHEN 'embeddings'
      THEN ' AND e.partition_id IS NOT DISTINCT FROM embeddings.partition_id AND e.audience IS NOT DISTINCT FROM embeddings.audience)'
      ELSE ')' END;
    EXECUTE format('CREATE POLICY insert ON lamina.%1$I FOR INSERT WITH CHECK (' || changes || ends || ')', name);
    EXECUTE format('CREATE POLICY change ON lamina.%1$I FOR UPDATE USING (' || changes || ')) WITH CHECK (' || changes || ends || ')', name);
    EXECUTE format('CREATE POLICY remove ON lamina.%1$I FOR DELETE USING (' || changes || '))', name);
  END LOOP;
END $$;

CREATE POLICY readers ON lamina.entry_accesses
  USING (tenant_id = (SELECT lamina.current_tenant()) AND EXISTS (
    SELECT 1 FROM lamina.entries e WHERE e.tenant_id = entry_accesses.tenant_id AND e.seq = entry_accesses.seq))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant()) AND EXISTS (
    SELECT 1 FROM lamina.entries e WHERE e.tenant_id = entry_accesses.tenant_id AND e.seq = entry_accesses.seq));

-- Events are written by whoever caused them, seen by whoever could see the entry, and never changed but by an erasure.
CREATE POLICY read ON lamina.events FOR SELECT
  USING (tenant_id = (SELECT lamina.current_tenant())
    AND (audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
CREATE POLICY insert ON lamina.events FOR INSERT
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant())
    AND (actor_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration()))
    AND (audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())));
CREATE POLICY erasure ON lamina.events
  USING (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()));

-- Keys are looked up before anybody is known, and made and revoked by administrators.
CREATE POLICY administration ON lamina.api_keys
  USING (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()));

CREATE POLICY administration ON lamina.audit_log
  USING (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()));

CREATE POLICY administration ON lamina.erased_tenants
  USING (tenant_hash = encode(sha256((SELECT lamina.current_tenant())::text::bytea), 'hex') AND (SELECT lamina.is_administration()))
  WITH CHECK (tenant_hash = encode(sha256((SELECT lamina.current_tenant())::text::bytea), 'hex') AND (SELECT lamina.is_administration()));
-- They are copied with everything else, and name nobody.
CREATE POLICY directory ON lamina.erased_tenants FOR SELECT USING ((SELECT lamina.is_directory()));
CREATE POLICY copy ON lamina.erased_tenants FOR INSERT WITH CHECK ((SELECT lamina.is_directory()));

-- Which models there are is no tenant's secret. Only open_space adds to it, which runs as the owner.
CREATE POLICY read ON lamina.embedding_spaces FOR SELECT USING (true);
CREATE POLICY owner ON lamina.embedding_spaces TO CURRENT_USER USING (true) WITH CHECK (true);

GRANT USAGE ON SCHEMA lamina TO lamina_service;
GRANT SELECT ON ALL TABLES IN SCHEMA lamina TO lamina_service;
GRANT INSERT, UPDATE, DELETE ON
  lamina.tenants, lamina.users, lamina.entries, lamina.entry_versions, lamina.entry_accesses, lamina.embeddings,
  lamina.events, lamina.state, lamina.plans, lamina.plan_context, lamina.sessions, lamina.task_context,
  lamina.record_links, lamina.api_keys, lamina.audit_log, lamina.erased_tenants
  TO lamina_service;
GRANT INSERT (tenant_id, key, layer, scope_key, audience), UPDATE (layer) ON lamina.partitions TO lamina_service;
-- Those of identity columns need no privilege, and would tell how much others write.
GRANT USAGE ON SEQUENCE lamina.versions TO lamina_service;
-- Functions are everybody's unless told otherwise, and some run as the owner.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA lamina FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  lamina.current_tenant(), lamina.current_user_id(), lamina.is_administration(), lamina.is_directory(),
  lamina.expect(bigint, bigint), lamina.open_space(text, integer), lamina.advance_versions(bigint)
  TO lamina_service;
