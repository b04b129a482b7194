-- Memory on PostgreSQL. Every table holds rows of many tenants, and every table is behind row-level security that binds
-- its owner as well: who has not said for whom it asks sees nothing. Times are milliseconds since the epoch.

-- For whom: set for each transaction, never for a connection. Unset and empty mean nobody.
CREATE FUNCTION lamina.current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.current_tenant', true), '')::uuid $$;

CREATE FUNCTION lamina.current_user_id() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.current_user', true), '') $$;

-- What for, where it is not a user's everyday business: 'administration' is over all users of the current tenant
-- (erasing and counting what there is of somebody), 'directory' tells which tenants there are and how large.
CREATE FUNCTION lamina.is_administration() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT coalesce(current_setting('app.purpose', true) = 'administration', false) $$;

CREATE FUNCTION lamina.is_directory() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT coalesce(current_setting('app.purpose', true) = 'directory', false) $$;

-- Local replicas, made when somebody first writes. Whatever belongs to them goes with them.
CREATE TABLE lamina.tenants (
  id         uuid   PRIMARY KEY,
  created_at bigint NOT NULL
);

CREATE TABLE lamina.users (
  tenant_id  uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  id         text   NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

-- Where entries lie: a scope, a kind and an audience (null: everyone). A search looks into the partitions that it may
-- see and into nothing else. The counters are what BM25 needs to know of a partition; triggers keep them.
CREATE TABLE lamina.partitions (
  id           bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id    uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  key          text   NOT NULL,
  layer        text   NOT NULL,
  scope_key    text   NOT NULL,
  audience     text,
  entry_count  bigint NOT NULL DEFAULT 0,
  lexeme_count bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, key),
  -- The key names all of them, so that nobody can take the place of another: [kind, audience, scope], and the scope
  -- begins with its layer.
  CHECK (key::json ->> 1 = coalesce(audience, '') AND key::json ->> 2 = scope_key AND scope_key::json ->> 0 = layer),
  FOREIGN KEY (tenant_id, audience) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX partitions_audience ON lamina.partitions (tenant_id, audience, layer);

CREATE TABLE lamina.entries (
  tenant_id         uuid             NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  seq               bigint           GENERATED ALWAYS AS IDENTITY,
  id                uuid             NOT NULL,
  partition_id      bigint           NOT NULL,
  audience          text, -- of its partition
  scope_key         text             NOT NULL,
  owner_id          text, -- null: belongs to its layer
  kind              text             NOT NULL,
  layer             text             NOT NULL,
  identifiers       jsonb            NOT NULL,
  content           text             NOT NULL,
  content_hash      text             NOT NULL,
  external_id       text,
  metadata          jsonb            NOT NULL,
  tags              jsonb            NOT NULL,
  source_type       text,
  source_reference  text,
  knowledge_pointer jsonb,
  sensitivity       text             NOT NULL,
  visibility        text             NOT NULL,
  status            text             NOT NULL,
  importance        double precision NOT NULL,
  confidence        double precision NOT NULL,
  relevance         double precision NOT NULL,
  decay_factor      double precision NOT NULL,
  role              text,
  turn              bigint,
  trigger_condition text,
  procedure_type    text,
  version           bigint           NOT NULL,
  valid_from        bigint,
  valid_to          bigint,
  expires_at        bigint,
  created_at        bigint           NOT NULL,
  updated_at        bigint           NOT NULL,
  length            integer          NOT NULL, -- of the lexemes
  lexemes           text             NOT NULL, -- what the text index holds, joined by spaces
  PRIMARY KEY (tenant_id, seq),
  UNIQUE (tenant_id, id),
  CHECK (audience IS NULL OR audience = owner_id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES lamina.users (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, partition_id) REFERENCES lamina.partitions (tenant_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX entries_external_id
  ON lamina.entries (tenant_id, external_id, scope_key, coalesce(owner_id, ''), kind) WHERE external_id IS NOT NULL;

-- Episodes are occurrences, and an external id wins over the content: both may repeat a content.
CREATE UNIQUE INDEX entries_content
  ON lamina.entries (tenant_id, content_hash, scope_key, coalesce(owner_id, ''), kind)
  WHERE external_id IS NULL AND kind <> 'episodic';

CREATE INDEX entries_named_content ON lamina.entries (tenant_id, content_hash) WHERE external_id IS NOT NULL;
CREATE INDEX entries_page ON lamina.entries (tenant_id, partition_id, created_at, id);
CREATE INDEX entries_timeline ON lamina.entries (tenant_id, partition_id, (coalesce(valid_from, created_at)), id);
CREATE INDEX entries_owner ON lamina.entries (tenant_id, owner_id, created_at, id);
CREATE INDEX entries_expiry ON lamina.entries (tenant_id, expires_at) WHERE expires_at IS NOT NULL;

-- Superseded states, whole. The current one is in entries.
CREATE TABLE lamina.entry_versions (
  tenant_id   uuid   NOT NULL,
  seq         bigint NOT NULL,
  version     bigint NOT NULL,
  entry       json   NOT NULL,
  replaced_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, seq, version),
  FOREIGN KEY (tenant_id, seq) REFERENCES lamina.entries (tenant_id, seq) ON DELETE CASCADE
);

-- Beside the entries, because everyone who may read an entry counts its accesses, but only few may change it.
CREATE TABLE lamina.entry_accesses (
  tenant_id        uuid   NOT NULL,
  seq              bigint NOT NULL,
  access_count     bigint NOT NULL,
  last_accessed_at bigint NOT NULL,
  PRIMARY KEY (tenant_id, seq),
  FOREIGN KEY (tenant_id, seq) REFERENCES lamina.entries (tenant_id, seq) ON DELETE CASCADE
);

-- The text index: which entries contain a word. A table of its own and not a GIN index over tsvectors, because under
-- row-level security an index can be entered by leakproof operators only, and @@ is none. See ADR 11.
CREATE TABLE lamina.entry_words (
  tenant_id    uuid    NOT NULL,
  partition_id bigint  NOT NULL,
  lexeme       text    NOT NULL,
  seq          bigint  NOT NULL,
  frequency    integer NOT NULL,
  length       integer NOT NULL,
  audience     text,
  PRIMARY KEY (tenant_id, partition_id, lexeme, seq) INCLUDE (frequency, length, audience)
);

-- How many entries of a partition contain a word.
CREATE TABLE lamina.word_counts (
  tenant_id    uuid    NOT NULL,
  partition_id bigint  NOT NULL,
  lexeme       text    NOT NULL,
  audience     text,
  documents    bigint  NOT NULL,
  PRIMARY KEY (tenant_id, partition_id, lexeme)
) WITH (fillfactor = 80);

-- A model and its dimensions; the same for all tenants.
CREATE TABLE lamina.embedding_spaces (
  id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model      text    NOT NULL,
  dimensions integer NOT NULL,
  UNIQUE (model, dimensions)
);

-- Each space has an HNSW index of its own; see open_space.
CREATE TABLE lamina.embeddings (
  tenant_id    uuid    NOT NULL,
  seq          bigint  NOT NULL,
  space_id     integer NOT NULL REFERENCES lamina.embedding_spaces (id),
  partition_id bigint  NOT NULL,
  audience     text,
  vector       vector  NOT NULL,
  PRIMARY KEY (tenant_id, seq, space_id),
  FOREIGN KEY (tenant_id, seq) REFERENCES lamina.entries (tenant_id, seq) ON DELETE CASCADE
);

CREATE INDEX embeddings_partition ON lamina.embeddings (tenant_id, space_id, partition_id);

-- What happened, without what it said: an event must not outlive the text that it is about. The number of the transaction
-- is what a snapshot can be held against: so the log can be followed without missing what commits late. See ADR 12.
CREATE TABLE lamina.events (
  tenant_id   uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  transaction bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  seq         bigint GENERATED ALWAYS AS IDENTITY,
  type        text   NOT NULL CHECK (type IN ('created', 'updated', 'deleted')),
  entry_id    uuid   NOT NULL,
  version     bigint NOT NULL,
  audience    text,
  agent_id    text, -- of the agents of the audience the only one who sees it
  actor_id    text   NOT NULL, -- empty: somebody who was erased
  at          bigint NOT NULL,
  PRIMARY KEY (tenant_id, transaction, seq)
);

CREATE INDEX events_entry ON lamina.events (tenant_id, entry_id);
CREATE INDEX events_actor ON lamina.events (tenant_id, actor_id);
CREATE INDEX events_audience ON lamina.events (tenant_id, audience) WHERE audience IS NOT NULL;

-- The text index follows the entries by triggers, whoever changes them, also a cascade. They run as the owner: the service
-- itself may not write to it. Without hash and merge joins: they know how many words there are in a call, and the planner
-- does not, which would rather read the whole index.

-- An entry as the text index sees it.
CREATE TYPE lamina.indexed_entry AS (tenant_id uuid, partition_id bigint, audience text, seq bigint, lexemes text);

CREATE FUNCTION lamina.add_words(entries lamina.indexed_entry[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- In this order everywhere: whoever writes to a partition waits here, and for nothing below.
  PERFORM 1 FROM lamina.partitions p
    WHERE (p.tenant_id, p.id) IN (SELECT e.tenant_id, e.partition_id FROM unnest(entries) e)
    ORDER BY p.id FOR NO KEY UPDATE;
  -- A reference is checked for whoever owns the table: without this an entry could be put where others alone look.
  IF EXISTS (
    SELECT 1 FROM unnest(entries) e LEFT JOIN lamina.partitions p ON p.tenant_id = e.tenant_id AND p.id = e.partition_id
    WHERE p.id IS NULL OR p.audience IS DISTINCT FROM e.audience)
  THEN
    RAISE insufficient_privilege USING MESSAGE = 'An entry has the audience of its partition.';
  END IF;
  UPDATE lamina.partitions p
    SET entry_count = p.entry_count + d.entry_count, lexeme_count = p.lexeme_count + d.lexeme_count
    FROM (
      SELECT e.tenant_id, e.partition_id, count(*) AS entry_count,
             sum(cardinality(string_to_array(e.lexemes, ' '))) AS lexeme_count
      FROM unnest(entries) e GROUP BY e.tenant_id, e.partition_id) d
    WHERE p.tenant_id = d.tenant_id AND p.id = d.partition_id;
  -- Each text is taken apart once, and no row carries the text itself along.
  WITH words AS MATERIALIZED (
    SELECT e.tenant_id, e.partition_id, w.lexeme, e.seq, e.audience, count(*) AS frequency,
           sum(count(*)) OVER (PARTITION BY e.seq) AS length
    FROM unnest(entries) e, string_to_table(e.lexemes, ' ') AS w (lexeme)
    WHERE w.lexeme <> ''
    GROUP BY e.tenant_id, e.partition_id, w.lexeme, e.seq, e.audience),
  written AS (
    INSERT INTO lamina.entry_words (tenant_id, partition_id, lexeme, seq, frequency, length, audience)
    SELECT w.tenant_id, w.partition_id, w.lexeme, w.seq, w.frequency, w.length, w.audience FROM words w)
  INSERT INTO lamina.word_counts AS c (tenant_id, partition_id, lexeme, audience, documents)
    SELECT w.tenant_id, w.partition_id, w.lexeme, w.audience, count(*) FROM words w
    GROUP BY w.tenant_id, w.partition_id, w.lexeme, w.audience
    ON CONFLICT (tenant_id, partition_id, lexeme) DO UPDATE SET documents = c.documents + excluded.documents;
END $$;

CREATE FUNCTION lamina.remove_words(entries lamina.indexed_entry[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM lamina.partitions p
    WHERE (p.tenant_id, p.id) IN (SELECT e.tenant_id, e.partition_id FROM unnest(entries) e)
    ORDER BY p.id FOR NO KEY UPDATE;
  UPDATE lamina.partitions p
    SET entry_count = p.entry_count - d.entry_count, lexeme_count = p.lexeme_count - d.lexeme_count
    FROM (
      SELECT e.tenant_id, e.partition_id, count(*) AS entry_count,
             sum(cardinality(string_to_array(e.lexemes, ' '))) AS lexeme_count
      FROM unnest(entries) e GROUP BY e.tenant_id, e.partition_id) d
    WHERE p.tenant_id = d.tenant_id AND p.id = d.partition_id;
  -- Each is looked up by all that its key consists of, one after the other, whatever the planner expects: the rows of a
  -- partition do not change their place meanwhile, because whoever writes there waits above.
  DELETE FROM lamina.entry_words WHERE ctid = ANY (ARRAY(
    SELECT w.ctid FROM (
      SELECT DISTINCT e.tenant_id, e.partition_id, l.lexeme, e.seq
      FROM unnest(entries) e, string_to_table(e.lexemes, ' ') AS l (lexeme)) d
    CROSS JOIN LATERAL (
      SELECT w.ctid FROM lamina.entry_words w
      WHERE w.tenant_id = d.tenant_id AND w.partition_id = d.partition_id AND w.lexeme = d.lexeme AND w.seq = d.seq
      OFFSET 0) w));
  -- Every word is there: this only ever meets what it counts down.
  INSERT INTO lamina.word_counts AS c (tenant_id, partition_id, lexeme, audience, documents)
    SELECT e.tenant_id, e.partition_id, l.lexeme, e.audience, -count(DISTINCT e.seq)
    FROM unnest(entries) e, string_to_table(e.lexemes, ' ') AS l (lexeme)
    WHERE l.lexeme <> ''
    GROUP BY e.tenant_id, e.partition_id, l.lexeme, e.audience
    ON CONFLICT (tenant_id, partition_id, lexeme) DO UPDATE SET documents = c.documents + excluded.documents;
  -- A word that nothing contains any more must not be left to read.
  DELETE FROM lamina.word_counts WHERE ctid = ANY (ARRAY(
    SELECT c.ctid FROM (
      SELECT DISTINCT e.tenant_id, e.partition_id, l.lexeme
      FROM unnest(entries) e, string_to_table(e.lexemes, ' ') AS l (lexeme)) d
    CROSS JOIN LATERAL (
      SELECT c.ctid FROM lamina.word_counts c
      WHERE c.tenant_id = d.tenant_id AND c.partition_id = d.partition_id AND c.lexeme = d.lexeme AND c.documents <= 0
      OFFSET 0) c));
END $$;

CREATE FUNCTION lamina.remove_empty_partitions(entries lamina.indexed_entry[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM lamina.partitions p
    WHERE (p.tenant_id, p.id) IN (SELECT e.tenant_id, e.partition_id FROM unnest(entries) e) AND p.entry_count = 0
$$;

-- The owner is bound too: what it does not see it would leave behind, and words tell what a text said.
CREATE FUNCTION lamina.assert_current(tenants uuid[]) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF row_security_active('lamina.entry_words') AND EXISTS (
    SELECT 1 FROM unnest(tenants) t WHERE t IS DISTINCT FROM lamina.current_tenant())
  THEN
    RAISE insufficient_privilege
      USING MESSAGE = 'Rows are deleted for one tenant at a time, which app.current_tenant names.';
  END IF;
END $$;

CREATE FUNCTION lamina.entries_inserted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM lamina.add_words(ARRAY(
    SELECT (n.tenant_id, n.partition_id, n.audience, n.seq, n.lexemes)::lamina.indexed_entry FROM new_rows n));
  RETURN NULL;
END $$;

CREATE FUNCTION lamina.entries_updated() RETURNS trigger
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
    UPDATE lamina.embeddings v SET partition_id = n.partition_id, audience = n.audience
      FROM new_rows n JOIN old_rows o USING (tenant_id, seq)
      WHERE v.tenant_id = n.tenant_id AND v.seq = n.seq AND n.partition_id <> o.partition_id;
    PERFORM lamina.remove_empty_partitions(before);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION lamina.entries_deleted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  -- Where the partition goes as a whole its words go with it, below.
  gone lamina.indexed_entry[] := ARRAY(
    SELECT (o.tenant_id, o.partition_id, o.audience, o.seq, o.lexemes)::lamina.indexed_entry
    FROM old_rows o JOIN lamina.partitions p ON p.tenant_id = o.tenant_id AND p.id = o.partition_id);
BEGIN
  PERFORM lamina.assert_current(ARRAY(SELECT DISTINCT o.tenant_id FROM old_rows o));
  IF cardinality(gone) > 0 THEN
    PERFORM lamina.remove_words(gone);
    PERFORM lamina.remove_empty_partitions(gone);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION lamina.partitions_deleted() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone record;
BEGIN
  -- Mostly there is none.
  FOR gone IN SELECT o.tenant_id, o.id FROM old_rows o LOOP
    DELETE FROM lamina.entry_words w WHERE w.tenant_id = gone.tenant_id AND w.partition_id = gone.id;
    DELETE FROM lamina.word_counts c WHERE c.tenant_id = gone.tenant_id AND c.partition_id = gone.id;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER entries_inserted AFTER INSERT ON lamina.entries
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION lamina.entries_inserted();
CREATE TRIGGER entries_updated AFTER UPDATE ON lamina.entries
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION lamina.entries_updated();
CREATE TRIGGER entries_deleted AFTER DELETE ON lamina.entries
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION lamina.entries_deleted();
CREATE TRIGGER partitions_deleted AFTER DELETE ON lamina.partitions
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION lamina.partitions_deleted();

-- Whoever found something to be so and writes on the strength of it says how many rows that must change: where there are
-- others, somebody was there in between, and the transaction has to begin again.
CREATE FUNCTION lamina.expect(expected bigint, actual bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF actual <> expected THEN
    RAISE EXCEPTION 'expected % rows, not %', expected, actual USING ERRCODE = 'serialization_failure';
  END IF;
END $$;

-- Makes a space known, with its index. As the owner, because the service may not make indexes. What has too many
-- dimensions for an index of whole numbers has one of halves; what has too many for that is compared one by one.
CREATE FUNCTION lamina.open_space(model text, dimensions integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  space integer;
  type text := CASE WHEN $2 <= 2000 THEN 'vector' WHEN $2 <= 4000 THEN 'halfvec' END;
  home text := (SELECT n.nspname FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'vector');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('lamina.open_space'));
  SELECT s.id INTO space FROM lamina.embedding_spaces s WHERE s.model = $1 AND s.dimensions = $2;
  IF space IS NOT NULL THEN RETURN space; END IF;
  INSERT INTO lamina.embedding_spaces AS s (model, dimensions) VALUES ($1, $2) RETURNING s.id INTO space;
  IF type IS NOT NULL THEN
    EXECUTE format(
      'CREATE INDEX embeddings_space_%1$s ON lamina.embeddings '
      'USING hnsw ((vector::%2$I.%3$I(%4$s)) %2$I.%5$I) WHERE space_id = %1$s',
      space, home, type, $2, type || '_cosine_ops');
  END IF;
  RETURN space;
END $$;
