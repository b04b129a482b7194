-- Facts: a subject, a predicate, an object; how certain; and the span in which it holds.

-- Where facts lie. All facts of a scope belong to its user, or to its layer (then the audience is empty: everyone). Whoever
-- writes facts locks the scope, so that a timeline is read and changed by one at a time.
CREATE TABLE lamina.fact_scopes (
  tenant_id uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  scope_id  bigint GENERATED ALWAYS AS IDENTITY,
  key       text   NOT NULL COLLATE "C",
  layer     text   NOT NULL,
  audience  text   NOT NULL,
  owner_id  text,
  PRIMARY KEY (tenant_id, scope_id),
  UNIQUE (tenant_id, key),
  UNIQUE (tenant_id, scope_id, audience),
  -- The key names both, so that nobody can take the place of another: [layer, user, …] where the layer is a person's.
  CHECK (key::json ->> 0 = layer AND owner_id IS NOT DISTINCT FROM nullif(audience, '')
    AND audience = CASE WHEN layer IN ('agent', 'user', 'session') THEN key::json ->> 1 ELSE '' END),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX fact_scopes_owner ON lamina.fact_scopes (tenant_id, owner_id) WHERE owner_id IS NOT NULL;

-- Indexes are entered by a number that stands for the scope and for some of what a fact says: an index takes no
-- more than 2,700 bytes of a row, and the planner has no choice of indexes. Whoever reads compares the scope and the texts
-- as well. See src/engines/sql/fact-row.ts.
CREATE TABLE lamina.facts (
  tenant_id        uuid             NOT NULL,
  fact_id          uuid             NOT NULL,
  scope_id         bigint           NOT NULL,
  audience         text             NOT NULL, -- of its scope
  fact_type        text             NOT NULL,
  subject          text             NOT NULL,
  predicate        text             NOT NULL,
  object           text             NOT NULL,
  scope_hash       bigint           NOT NULL,
  type_hash        bigint           NOT NULL,
  subject_hash     bigint           NOT NULL,
  slot_hash        bigint           NOT NULL, -- subject and predicate
  predicate_hash   bigint           NOT NULL,
  claim_hash       bigint           NOT NULL, -- predicate and object
  object_hash      bigint           NOT NULL,
  statement_hash   bigint           NOT NULL, -- all four
  confidence       double precision NOT NULL,
  metadata         json             NOT NULL,
  source_type      text,
  source_reference text,
  valid_from       bigint           NOT NULL,
  valid_to         bigint, -- null: still holds
  version          bigint           NOT NULL,
  created_at       bigint           NOT NULL,
  updated_at       bigint           NOT NULL,
  PRIMARY KEY (tenant_id, fact_id),
  FOREIGN KEY (tenant_id, scope_id, audience) REFERENCES lamina.fact_scopes (tenant_id, scope_id, audience) ON DELETE CASCADE
);

-- All of them name the tenant, but none is led by it: every statement names it too, and the planner would enter one that is
-- beside the right one, to have all that the tenant has.
CREATE INDEX facts_scope ON lamina.facts (scope_id, tenant_id);

-- By what it says, whether it still holds or not.
CREATE INDEX facts_statement ON lamina.facts (statement_hash, tenant_id);

-- What still holds, in the order in which it is listed.
CREATE INDEX facts_page ON lamina.facts (scope_hash, tenant_id, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_type ON lamina.facts (type_hash, tenant_id, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_subject ON lamina.facts (subject_hash, tenant_id, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_slot ON lamina.facts (slot_hash, tenant_id, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_predicate ON lamina.facts (predicate_hash, tenant_id, confidence, created_at, fact_id)
  WHERE valid_to IS NULL;
CREATE INDEX facts_claim ON lamina.facts (claim_hash, tenant_id, confidence, created_at, fact_id) WHERE valid_to IS NULL;
CREATE INDEX facts_object ON lamina.facts (object_hash, tenant_id, confidence, created_at, fact_id) WHERE valid_to IS NULL;

-- What has an end, by when that is. What holds now is asked for the most, and few things have an end that is yet to come.
CREATE INDEX facts_ended ON lamina.facts (scope_hash, tenant_id, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_subject ON lamina.facts (subject_hash, tenant_id, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_slot ON lamina.facts (slot_hash, tenant_id, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_claim ON lamina.facts (claim_hash, tenant_id, valid_to) WHERE valid_to IS NOT NULL;
CREATE INDEX facts_ended_object ON lamina.facts (object_hash, tenant_id, valid_to) WHERE valid_to IS NOT NULL;

-- Whoever sees the facts of a scope changes them; see 0003.
DO $$
DECLARE
  name text;
  is_own text := 'tenant_id = (SELECT lamina.current_tenant())
    AND (audience = '''' OR audience = (SELECT lamina.current_user_id()) OR (SELECT lamina.is_administration()))';
BEGIN
  FOREACH name IN ARRAY ARRAY['fact_scopes', 'facts'] LOOP
    EXECUTE format('ALTER TABLE lamina.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lamina.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lamina.%I ALTER COLUMN tenant_id SET (n_distinct = 50)', name);
    EXECUTE format('CREATE POLICY own ON lamina.%I USING (%2$s) WITH CHECK (%2$s)', name, is_own);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON lamina.%I TO lamina_service', name);
  END LOOP;
END $$;
