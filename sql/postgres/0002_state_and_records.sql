-- Versions of state and of records come from here and never repeat, also when something is deleted and made again.
CREATE SEQUENCE lamina.versions AS bigint;

-- For what was copied here with the versions that it had elsewhere. As the owner, because the service may only draw from
-- the sequence; and only forward. Altering it makes those who draw wait until the transaction ends: nothing is drawn
-- between looking and setting.
CREATE FUNCTION lamina.advance_versions(version bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF $1 > 2 ^ 52 THEN RAISE EXCEPTION 'There are no such versions' USING ERRCODE = 'numeric_value_out_of_range'; END IF;
  IF $1 <= pg_sequence_last_value('lamina.versions') THEN RETURN; END IF;
  ALTER SEQUENCE lamina.versions CACHE 1;
  IF $1 > coalesce(pg_sequence_last_value('lamina.versions'), 0) THEN PERFORM setval('lamina.versions', $1); END IF;
END $$;

-- Working memory and other state: a JSON value under a key in a namespace.
CREATE TABLE lamina.state (
  tenant_id  uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  namespace  text   NOT NULL COLLATE "C",
  key        text   NOT NULL COLLATE "C", -- listed by code point
  value      json   NOT NULL,
  version    bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expires_at bigint,
  PRIMARY KEY (tenant_id, namespace, key)
);

CREATE INDEX state_expiry ON lamina.state (tenant_id, expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE lamina.plans (
  tenant_id      uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  plan_id        text   NOT NULL COLLATE "C",
  user_id        text   NOT NULL,
  session_id     text   COLLATE "C",
  parent_plan_id text   COLLATE "C",
  goal_event     text   NOT NULL,
  goal_data      json   NOT NULL,
  response_event text,
  status         text   NOT NULL,
  state          json   NOT NULL,
  version        bigint NOT NULL,
  created_at     bigint NOT NULL,
  updated_at     bigint NOT NULL,
  PRIMARY KEY (tenant_id, plan_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX plans_page ON lamina.plans (tenant_id, user_id, created_at, plan_id);
CREATE INDEX plans_status ON lamina.plans (tenant_id, user_id, status, created_at, plan_id);
CREATE INDEX plans_session ON lamina.plans (tenant_id, session_id, user_id, created_at, plan_id)
  WHERE session_id IS NOT NULL;

CREATE TABLE lamina.plan_context (
  tenant_id       uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  plan_id         text   NOT NULL COLLATE "C",
  session_id      text   COLLATE "C",
  goal_event      text   NOT NULL,
  goal_data       json   NOT NULL,
  response_event  text,
  state           json   NOT NULL,
  current_state   text,
  correlation_ids json   NOT NULL,
  version         bigint NOT NULL,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL,
  PRIMARY KEY (tenant_id, plan_id)
);

CREATE INDEX plan_context_session ON lamina.plan_context (tenant_id, session_id) WHERE session_id IS NOT NULL;

CREATE TABLE lamina.sessions (
  tenant_id        uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  session_id       text   NOT NULL COLLATE "C",
  user_id          text   NOT NULL,
  agent_id         text,
  name             text,
  metadata         json   NOT NULL,
  last_interaction bigint NOT NULL,
  ended_at         bigint,
  version          bigint NOT NULL,
  created_at       bigint NOT NULL,
  updated_at       bigint NOT NULL,
  PRIMARY KEY (tenant_id, session_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX sessions_page ON lamina.sessions (tenant_id, user_id, last_interaction, session_id);

CREATE TABLE lamina.task_context (
  tenant_id      uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  task_id        text   NOT NULL COLLATE "C",
  plan_id        text   COLLATE "C",
  event_type     text   NOT NULL,
  response_event text,
  response_topic text   NOT NULL,
  data           json   NOT NULL,
  sub_tasks      json   NOT NULL,
  state          json   NOT NULL,
  version        bigint NOT NULL,
  created_at     bigint NOT NULL,
  updated_at     bigint NOT NULL,
  PRIMARY KEY (tenant_id, task_id)
);

CREATE INDEX task_context_plan ON lamina.task_context (tenant_id, plan_id) WHERE plan_id IS NOT NULL;

-- Which record lists a value among its links: the parent of a sub-task, the plan of a correlation id.
CREATE TABLE lamina.record_links (
  tenant_id  uuid NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  collection text NOT NULL COLLATE "C",
  link       text NOT NULL COLLATE "C",
  key        text NOT NULL COLLATE "C",
  PRIMARY KEY (tenant_id, collection, link, key)
);

CREATE INDEX record_links_key ON lamina.record_links (tenant_id, collection, key);

CREATE TABLE lamina.api_keys (
  tenant_id    uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  key_id       text   NOT NULL COLLATE "C",
  name         text   NOT NULL,
  user_id      text   NOT NULL,
  agent_id     text,
  roles        json   NOT NULL,
  secret_hash  text   NOT NULL,
  expires_at   bigint,
  revoked_at   bigint,
  last_used_at bigint,
  version      bigint NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  PRIMARY KEY (tenant_id, key_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX api_keys_user ON lamina.api_keys (tenant_id, user_id);

-- Administrative acts. Never says what was erased, only that, when and how much.
CREATE TABLE lamina.audit_log (
  tenant_id uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  id        uuid   NOT NULL,
  action    text   NOT NULL,
  actor     text   NOT NULL,
  details   json   NOT NULL,
  at        bigint NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

CREATE INDEX audit_log_page ON lamina.audit_log (tenant_id, at, id);

-- What must outlive a tenant: that it was erased, when and how much. Names neither the tenant nor who did it.
CREATE TABLE lamina.erased_tenants (
  tenant_hash text   NOT NULL, -- SHA-256 of the tenant's id
  id          uuid   NOT NULL,
  action      text   NOT NULL,
  actor       text   NOT NULL,
  details     json   NOT NULL,
  at          bigint NOT NULL,
  PRIMARY KEY (tenant_hash, id)
);

-- Working memory and contexts are a plan's, and the plan is somebody's: they go when its user does. A plan that is
-- deleted by itself leaves them, unless whoever deletes it asks for more.
CREATE FUNCTION lamina.users_deleting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  plans text[] := ARRAY(
    SELECT p.plan_id FROM lamina.plans p WHERE p.tenant_id = OLD.tenant_id AND p.user_id = OLD.id
    UNION
    -- Also of plans that were never recorded as anyone's, where they name a session of the user.
    SELECT c.plan_id FROM lamina.plan_context c
      JOIN lamina.sessions s ON s.tenant_id = c.tenant_id AND s.session_id = c.session_id
      WHERE c.tenant_id = OLD.tenant_id AND s.user_id = OLD.id
        AND NOT EXISTS (SELECT 1 FROM lamina.plans p WHERE p.tenant_id = c.tenant_id AND p.plan_id = c.plan_id));
BEGIN
  DELETE FROM lamina.record_links l WHERE l.tenant_id = OLD.tenant_id AND l.collection = 'plan_context' AND l.key = ANY (plans);
  DELETE FROM lamina.record_links l WHERE l.tenant_id = OLD.tenant_id AND l.collection = 'task_context'
    AND l.key IN (SELECT t.task_id FROM lamina.task_context t WHERE t.tenant_id = OLD.tenant_id AND t.plan_id = ANY (plans));
  DELETE FROM lamina.task_context t WHERE t.tenant_id = OLD.tenant_id AND t.plan_id = ANY (plans);
  DELETE FROM lamina.plan_context c WHERE c.tenant_id = OLD.tenant_id AND c.plan_id = ANY (plans);
  -- As the core spells it: JSON.stringify(['working', planId]).
  DELETE FROM lamina.state s WHERE s.tenant_id = OLD.tenant_id
    AND s.namespace IN (SELECT '["working",' || to_json(p)::text || ']' FROM unnest(plans) p);
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.tenant_id AND e.audience = OLD.id;
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.tenant_id
    AND e.entry_id IN (SELECT o.id FROM lamina.entries o WHERE o.tenant_id = OLD.tenant_id AND o.owner_id = OLD.id);
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.tenant_id AND e.actor_id = OLD.id
    AND NOT EXISTS (SELECT 1 FROM lamina.entries o WHERE o.tenant_id = e.tenant_id AND o.id = e.entry_id);
  -- What is left belongs to others, and must not name who is gone.
  UPDATE lamina.events e SET actor_id = '' WHERE e.tenant_id = OLD.tenant_id AND e.actor_id = OLD.id;
  UPDATE lamina.audit_log a SET actor = 'sha256:' || encode(sha256(convert_to(OLD.id, 'UTF8')), 'hex')
    WHERE a.tenant_id = OLD.tenant_id AND a.actor = OLD.id;
  RETURN OLD;
END $$;

CREATE TRIGGER users_deleting BEFORE DELETE ON lamina.users
  FOR EACH ROW EXECUTE FUNCTION lamina.users_deleting();

-- Everything of a tenant would go by references alone, but user by user, each looked up, and entry by entry out of the
-- text index. A partition that goes as a whole takes its words along at once; and of what is gone nothing is looked up.
CREATE FUNCTION lamina.tenants_deleting() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM lamina.partitions p WHERE p.tenant_id = OLD.id;
  DELETE FROM lamina.events e WHERE e.tenant_id = OLD.id;
  DELETE FROM lamina.plan_context c WHERE c.tenant_id = OLD.id;
  DELETE FROM lamina.plans p WHERE p.tenant_id = OLD.id;
  DELETE FROM lamina.sessions s WHERE s.tenant_id = OLD.id;
  DELETE FROM lamina.audit_log a WHERE a.tenant_id = OLD.id;
  RETURN OLD;
END $$;

CREATE TRIGGER tenants_deleting BEFORE DELETE ON lamina.tenants
  FOR EACH ROW EXECUTE FUNCTION lamina.tenants_deleting();
