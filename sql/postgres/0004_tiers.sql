-- Pools, contexts and maintenance; accesses of state; what happens to the values of pools; state that is a user's own.

-- How an entry came about, where Lamina did it by itself.
ALTER TABLE lamina.entries ADD COLUMN provenance jsonb;
-- Who edited something in a context may be somebody else than its owner. Few entries say so.
CREATE INDEX entries_edited ON lamina.entries (tenant_id) WHERE metadata ? 'context.editedBy';

-- What is read often outlives its time out of sight, until it was looked at for good: it goes when both are over.
ALTER TABLE lamina.state
  ADD COLUMN access_count     bigint NOT NULL DEFAULT 0,
  ADD COLUMN last_accessed_at bigint,
  ADD COLUMN kept_until       bigint;

DROP INDEX lamina.state_expiry;
-- Not as coalesce, which is not taken for leakproof, so that nobody whom the policies bind could enter the index by it.
CREATE INDEX state_end ON lamina.state (tenant_id, (CASE WHEN kept_until IS NULL THEN expires_at ELSE kept_until END))
  WHERE expires_at IS NOT NULL;

-- Members are those who see it besides its owner; the empty id is everyone of the tenant.
CREATE TABLE lamina.pools (
  tenant_id       uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  pool_id         text   NOT NULL COLLATE "C",
  owner_id        text   NOT NULL,
  agent_id        text,
  type            text   NOT NULL,
  scope           text   NOT NULL,
  scope_id        text,
  workflow_run_id text   COLLATE "C",
  name            text,
  metadata        json   NOT NULL,
  access          jsonb  NOT NULL,
  members         jsonb  NOT NULL,
  expires_at      bigint,
  version         bigint NOT NULL,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL,
  PRIMARY KEY (tenant_id, pool_id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX pools_page ON lamina.pools (tenant_id, owner_id, created_at, pool_id);
-- What others see is looked for among what has members at all: most is its owner's alone.
CREATE INDEX pools_shared ON lamina.pools (tenant_id, created_at, pool_id) WHERE members <> '[]';
CREATE INDEX pools_workflow ON lamina.pools (tenant_id, workflow_run_id, owner_id, created_at, pool_id)
  WHERE workflow_run_id IS NOT NULL;

CREATE TABLE lamina.contexts (
  tenant_id   uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  context_id  text   NOT NULL COLLATE "C",
  owner_id    text   NOT NULL,
  agent_id    text,
  type        text   NOT NULL,
  scope       text   NOT NULL,
  scope_id    text,
  name        text,
  description text,
  metadata    json   NOT NULL,
  access      jsonb  NOT NULL,
  members     jsonb  NOT NULL,
  status      text   NOT NULL,
  archived_at bigint,
  version     bigint NOT NULL,
  created_at  bigint NOT NULL,
  updated_at  bigint NOT NULL,
  PRIMARY KEY (tenant_id, context_id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX contexts_page ON lamina.contexts (tenant_id, owner_id, created_at, context_id);
CREATE INDEX contexts_shared ON lamina.contexts (tenant_id, created_at, context_id) WHERE members <> '[]';

CREATE TABLE lamina.context_snapshots (
  tenant_id   uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  snapshot_id text   NOT NULL COLLATE "C",
  context_id  text   NOT NULL COLLATE "C",
  owner_id    text   NOT NULL,
  name        text,
  reason      text,
  created_by  text   NOT NULL,
  items       json   NOT NULL,
  version     bigint NOT NULL,
  created_at  bigint NOT NULL,
  updated_at  bigint NOT NULL,
  PRIMARY KEY (tenant_id, snapshot_id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX context_snapshots_page
  ON lamina.context_snapshots (tenant_id, context_id, owner_id, created_at, snapshot_id);
CREATE INDEX context_snapshots_owner ON lamina.context_snapshots (tenant_id, owner_id, created_at, snapshot_id);

CREATE TABLE lamina.context_accesses (
  tenant_id  uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  access_id  text   NOT NULL COLLATE "C",
  context_id text   NOT NULL COLLATE "C",
  owner_id   text   NOT NULL,
  actor_id   text   NOT NULL,
  agent_id   text,
  action     text   NOT NULL,
  entry_key  text,
  version    bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, access_id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX context_accesses_page ON lamina.context_accesses (tenant_id, context_id, owner_id, created_at, access_id);
CREATE INDEX context_accesses_owner ON lamina.context_accesses (tenant_id, owner_id);
CREATE INDEX context_accesses_actor ON lamina.context_accesses (tenant_id, actor_id);

CREATE TABLE lamina.maintenance_runs (
  tenant_id   uuid    NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  run_id      text    NOT NULL COLLATE "C",
  job         text    NOT NULL,
  status      text    NOT NULL,
  trigger     text    NOT NULL,
  dry_run     boolean NOT NULL,
  started_at  bigint  NOT NULL,
  finished_at bigint,
  duration_ms bigint,
  counts      json    NOT NULL,
  changes     json    NOT NULL,
  error       text,
  progress    json    NOT NULL,
  version     bigint  NOT NULL,
  created_at  bigint  NOT NULL,
  updated_at  bigint  NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
);

CREATE INDEX maintenance_runs_page ON lamina.maintenance_runs (tenant_id, started_at, run_id);
CREATE INDEX maintenance_runs_job ON lamina.maintenance_runs (tenant_id, job, started_at, run_id);

-- Events of the values of pools name the pool and the key instead of an entry, are in no other stream, and go with it.
ALTER TABLE lamina.events
  ADD COLUMN pool_id text COLLATE "C",
  ADD COLUMN key     text,
  ALTER COLUMN entry_id DROP NOT NULL,
  ADD CHECK ((entry_id IS NULL) = (pool_id IS NOT NULL) AND (pool_id IS NULL) = (key IS NULL)),
  ADD FOREIGN KEY (tenant_id, pool_id) REFERENCES lamina.pools (tenant_id, pool_id) ON DELETE CASCADE;

CREATE INDEX events_pool ON lamina.events (tenant_id, pool_id, transaction, seq) WHERE pool_id IS NOT NULL;

-- By a trigger, so that no way of writing can forget it: what has expired goes by one of many ways. Who did it is not
-- told: whoever may write to a pool acts in its owner's name. Where there is no such pool (yet), nobody follows it.
CREATE FUNCTION lamina.tell_pool() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item lamina.state := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  -- What has expired is another value, though it still lay there.
  types text[] := CASE
    WHEN TG_OP = 'INSERT' THEN '{created}' WHEN TG_OP = 'DELETE' THEN '{deleted}'
    WHEN OLD.expires_at <= NEW.updated_at THEN '{deleted,created}' ELSE '{updated}' END;
BEGIN
  INSERT INTO lamina.events (tenant_id, type, pool_id, key, version, actor_id, at)
  SELECT p.tenant_id, t.type, p.pool_id, item.key, CASE t.type WHEN 'deleted' THEN OLD.version ELSE NEW.version END, '',
         CASE TG_OP WHEN 'DELETE' THEN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint ELSE NEW.updated_at END
  FROM lamina.pools p, unnest(types) WITH ORDINALITY AS t (type, place)
  WHERE p.tenant_id = item.tenant_id AND p.pool_id = item.namespace::json ->> 1 ORDER BY t.place;
  RETURN NULL;
END $$;

CREATE TRIGGER state_pool_created AFTER INSERT ON lamina.state
  FOR EACH ROW WHEN (NEW.namespace ^@ '["pool",') EXECUTE FUNCTION lamina.tell_pool();
-- Counting accesses is no change.
CREATE TRIGGER state_pool_updated AFTER UPDATE ON lamina.state
  FOR EACH ROW WHEN (NEW.namespace ^@ '["pool",' AND NEW.version <> OLD.version) EXECUTE FUNCTION lamina.tell_pool();
-- What goes with its pool, its owner or its tenant takes its events along.
CREATE TRIGGER state_pool_deleted AFTER DELETE ON lamina.state
  FOR EACH ROW WHEN (OLD.namespace ^@ '["pool",' AND pg_trigger_depth() = 0) EXECUTE FUNCTION lamina.tell_pool();

-- Before, because afterwards nobody sees what was in it.
CREATE FUNCTION lamina.pools_deleting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM lamina.state s
    WHERE s.tenant_id = OLD.tenant_id AND s.namespace = '["pool",' || to_json(OLD.pool_id)::text || ']';
  RETURN OLD;
END $$;

CREATE TRIGGER pools_deleting BEFORE DELETE ON lamina.pools
  FOR EACH ROW EXECUTE FUNCTION lamina.pools_deleting();

-- An access list without an id.
CREATE FUNCTION lamina.without_member(access jsonb, user_id text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT access || jsonb_build_object('read', (access -> 'read') - user_id, 'write', (access -> 'write') - user_id) $$;

-- Whether somebody is this user, or an agent of this user's, which stands behind a slash.
CREATE FUNCTION lamina.is_by(actor text, user_id text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT (actor || '/') ^@ (user_id || '/') $$;

-- As before, and what is new: see 0002.
CREATE OR REPLACE FUNCTION lamina.users_deleting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  plans text[] := ARRAY(
    SELECT p.plan_id FROM lamina.plans p WHERE p.tenant_id = OLD.tenant_id AND p.user_id = OLD.id
    UNION
    -- Also of plans that were never recorded as anyone's, where they name a session of the user.
    SELECT c.plan_id FROM lamina.plan_context c
      JOIN lamina.sessions s ON s.tenant_id = c.tenant_id AND s.session_id = c.session_id
      WHERE c.tenant_id = OLD.tenant_id AND s.user_id = OLD.id
        AND NOT EXISTS (SELECT 1 FROM lamina.plans p WHERE p.tenant_id = c.tenant_id AND p.plan_id = c.plan_id));
  pseudonym text := 'sha256:' || encode(sha256(convert_to(OLD.id, 'UTF8')), 'hex');
  name text := to_json(OLD.id)::text;
  prefix text;
BEGIN
  DELETE FROM lamina.record_links l WHERE l.tenant_id = OLD.tenant_id AND l.collection = 'plan_context' AND l.key = ANY (plans);
  DELETE FROM lamina.record_links l WHERE l.tenant_id = OLD.tenant_id AND l.collection = 'task_context'
    AND l.key IN (SELECT t.task_id FROM lamina.task_context t WHERE t.tenant_id = OLD.tenant_id AND t.plan_id = ANY (plans));
  DELETE FROM lamina.task_context t WHERE t.tenant_id = OLD.tenant_id AND t.plan_id = ANY (plans);
  DELETE FROM lamina.plan_context c WHERE c.tenant_id = OLD.tenant_id AND c.plan_id = ANY (plans);
  -- As the core spells it: JSON.stringify(['working', planId]).
  DELETE FROM lamina.state s WHERE s.tenant_id = OLD.tenant_id
    AND s.namespace IN (SELECT '["working",' || to_json(p)::text || ']' FROM unnest(plans) p);
  -- What is the user's own; see src/domain/namespace.ts.
  FOREACH prefix IN ARRAY ARRAY['["agent",', '["persisted",', '["inbox",', '["session",'] LOOP
    prefix := prefix || name || ',';
    DELETE FROM lamina.state s
      WHERE s.tenant_id = OLD.tenant_id AND s.namespace >= prefix AND s.namespace < prefix || chr(1114111);
  END LOOP;
  DELETE FROM lamina.state s
    WHERE s.tenant_id = OLD.tenant_id AND s.namespace >= '["inbox",' AND s.namespace < '["inbox"-'
      AND s.key ^@ ('[' || name || ',');
  -- With their values and events.
  DELETE FROM lamina.pools p WHERE p.tenant_id = OLD.tenant_id AND p.owner_id = OLD.id;
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.tenant_id AND e.audience = OLD.id;
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.tenant_id
    AND e.entry_id IN (SELECT o.id FROM lamina.entries o WHERE o.tenant_id = OLD.tenant_id AND o.owner_id = OLD.id);
  -- Not as EXISTS: the planner would join all events with all entries where it knows little of either.
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.tenant_id AND e.actor_id = OLD.id AND e.pool_id IS NULL
    AND (SELECT true FROM lamina.entries o WHERE o.tenant_id = e.tenant_id AND o.id = e.entry_id LIMIT 1) IS NULL;
  -- What is left belongs to others, and must not name who is gone.
  UPDATE lamina.events e SET actor_id = '' WHERE e.tenant_id = OLD.tenant_id AND e.actor_id = OLD.id;
  UPDATE lamina.audit_log a SET actor = pseudonym WHERE a.tenant_id = OLD.tenant_id AND a.actor = OLD.id;
  UPDATE lamina.pools p SET access = lamina.without_member(p.access, OLD.id), members = p.members - OLD.id
    WHERE p.tenant_id = OLD.tenant_id AND p.members <> '[]' AND p.members ? OLD.id;
  UPDATE lamina.contexts c SET access = lamina.without_member(c.access, OLD.id), members = c.members - OLD.id
    WHERE c.tenant_id = OLD.tenant_id AND c.members <> '[]' AND c.members ? OLD.id;
  UPDATE lamina.context_accesses a SET actor_id = pseudonym, agent_id = NULL
    WHERE a.tenant_id = OLD.tenant_id AND a.actor_id = OLD.id;
  UPDATE lamina.context_snapshots s SET created_by = pseudonym
    WHERE s.tenant_id = OLD.tenant_id AND lamina.is_by(s.created_by, OLD.id);
  UPDATE lamina.entry_versions v SET entry = jsonb_set(v.entry::jsonb, '{metadata,context.editedBy}', to_jsonb(pseudonym))::json
    FROM lamina.entries e
    WHERE e.tenant_id = OLD.tenant_id AND e.metadata ? 'context.editedBy' AND e.owner_id IS DISTINCT FROM OLD.id
      AND v.tenant_id = e.tenant_id AND v.seq = e.seq AND lamina.is_by(v.entry -> 'metadata' ->> 'context.editedBy', OLD.id);
  UPDATE lamina.entries e SET metadata = jsonb_set(e.metadata, '{context.editedBy}', to_jsonb(pseudonym))
    WHERE e.tenant_id = OLD.tenant_id AND e.metadata ? 'context.editedBy' AND e.owner_id IS DISTINCT FROM OLD.id
      AND lamina.is_by(e.metadata ->> 'context.editedBy', OLD.id);
  RETURN OLD;
END $$;

CREATE OR REPLACE FUNCTION lamina.tenants_deleting() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM lamina.partitions p WHERE p.tenant_id = OLD.id;
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.id;
  DELETE FROM lamina.state s WHERE s.tenant_id = OLD.id;
  DELETE FROM lamina.pools p WHERE p.tenant_id = OLD.id;
  DELETE FROM lamina.contexts c WHERE c.tenant_id = OLD.id;
  DELETE FROM lamina.context_snapshots s WHERE s.tenant_id = OLD.id;
  DELETE FROM lamina.context_accesses a WHERE a.tenant_id = OLD.id;
  DELETE FROM lamina.plan_context c WHERE c.tenant_id = OLD.id;
  DELETE FROM lamina.plans p WHERE p.tenant_id = OLD.id;
  DELETE FROM lamina.sessions s WHERE s.tenant_id = OLD.id;
  DELETE FROM lamina.audit_log a WHERE a.tenant_id = OLD.id;
  RETURN OLD;
END $$;

-- Who sees and changes which rows; see 0003.
DO $$
DECLARE
  name text;
  is_own text := 'tenant_id = (SELECT lamina.current_tenant())
    AND (owner_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration()))';
BEGIN
  FOREACH name IN ARRAY ARRAY['pools', 'contexts', 'context_snapshots', 'context_accesses', 'maintenance_runs'] LOOP
    EXECUTE format('ALTER TABLE lamina.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lamina.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lamina.%I ALTER COLUMN tenant_id SET (n_distinct = 50)', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON lamina.%I TO lamina_service', name);
  END LOOP;
  -- Seen by their members too, changed by their owner alone.
  FOREACH name IN ARRAY ARRAY['pools', 'contexts'] LOOP
    EXECUTE format(
      'CREATE POLICY read ON lamina.%I FOR SELECT
         USING (tenant_id = (SELECT lamina.current_tenant())
           AND (owner_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())
             OR members ?| (SELECT ARRAY['''', lamina.current_user_id()])))', name);
    EXECUTE format('CREATE POLICY insert ON lamina.%I FOR INSERT WITH CHECK (%s)', name, is_own);
    EXECUTE format('CREATE POLICY change ON lamina.%I FOR UPDATE USING (%2$s) WITH CHECK (%2$s)', name, is_own);
    EXECUTE format('CREATE POLICY remove ON lamina.%I FOR DELETE USING (%s)', name, is_own);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['context_snapshots', 'context_accesses'] LOOP
    EXECUTE format('CREATE POLICY own ON lamina.%I USING (%2$s) WITH CHECK (%2$s)', name, is_own);
  END LOOP;
END $$;

-- Runs go over all users of a tenant, and so does what they say.
CREATE POLICY administration ON lamina.maintenance_runs
  USING (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()));

-- What concerns pools and the state of users stands in functions: a statement sets up every part of its policies, also those
-- that it does not come to, and with these parts that took longer than to write a value of working memory itself.

-- As the policies of pools have it for whoever asks.
CREATE FUNCTION lamina.sees_pool(pool_id text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM lamina.pools p WHERE p.tenant_id = lamina.current_tenant() AND p.pool_id = $1);
END $$;

-- Whoever may write to a pool does it in its owner's name.
CREATE FUNCTION lamina.owns_pool(pool_id text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM lamina.pools p WHERE p.tenant_id = lamina.current_tenant() AND p.pool_id = $1
    AND (p.owner_id = lamina.current_user_id() OR lamina.is_administration()));
END $$;

-- Whose state it is, its namespace says: what kind, and then the pool or the user. See src/domain/namespace.ts. In an inbox
-- is also what others have put there, who are named first in the key.
CREATE FUNCTION lamina.may_use_state(namespace text, key text, writes boolean) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  kind text := split_part(namespace, ',', 1);
BEGIN
  CASE kind
    WHEN '["pool"' THEN
      IF writes THEN RETURN lamina.owns_pool(namespace::json ->> 1); END IF;
      RETURN lamina.sees_pool(namespace::json ->> 1);
    WHEN '["agent"', '["persisted"', '["session"', '["inbox"' THEN
      RETURN namespace ^@ (kind || ',' || to_json(lamina.current_user_id())::text || ',')
        OR kind = '["inbox"' AND key ^@ ('[' || to_json(lamina.current_user_id())::text || ',');
    ELSE
      RETURN true;
  END CASE;
END $$;

-- Working memory comes first: it is everyone's of the tenant, and asked for the most.
DO $$
DECLARE
  allows text := 'tenant_id = (SELECT lamina.current_tenant()) AND (namespace ^@ ''["working",''
    OR lamina.is_administration() OR lamina.may_use_state(namespace, key, %s))';
  writes text := format(allows, 'true');
BEGIN
  DROP POLICY tenant ON lamina.state;
  EXECUTE format('CREATE POLICY read ON lamina.state FOR SELECT USING (%s)', format(allows, 'false'));
  EXECUTE format('CREATE POLICY insert ON lamina.state FOR INSERT WITH CHECK (%s)', writes);
  EXECUTE format('CREATE POLICY change ON lamina.state FOR UPDATE USING (%1$s) WITH CHECK (%1$s)', writes);
  EXECUTE format('CREATE POLICY remove ON lamina.state FOR DELETE USING (%s)', writes);
END $$;

-- Events as before, but of a pool for who sees the pool, and by its owner.
DROP POLICY read ON lamina.events;
CREATE POLICY read ON lamina.events FOR SELECT
  USING (tenant_id = (SELECT lamina.current_tenant()) AND CASE
    WHEN pool_id IS NULL
      THEN audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration())
    ELSE lamina.sees_pool(pool_id) END);
DROP POLICY insert ON lamina.events;
CREATE POLICY insert ON lamina.events FOR INSERT
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant()) AND CASE
    WHEN pool_id IS NULL THEN (actor_id = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration()))
      AND (audience IS NULL OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration()))
    ELSE actor_id = '' AND audience IS NULL AND lamina.owns_pool(pool_id) END);

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA lamina FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  lamina.sees_pool(text), lamina.owns_pool(text), lamina.may_use_state(text, text, boolean),
  lamina.without_member(jsonb, text), lamina.is_by(text, text)
  TO lamina_service;
