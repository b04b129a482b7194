-- breaking: a Lamina that does not know of keys would show what is sealed, and write beside it what is not.
-- The keys that seal what a tenant remembers, where it is sealed: wrapped by a master key that lies elsewhere.
CREATE TABLE lamina.data_keys (
  tenant_id   uuid   NOT NULL REFERENCES lamina.tenants (id) ON DELETE CASCADE,
  id          text   NOT NULL,
  purpose     text   NOT NULL CHECK (purpose IN ('data', 'index')),
  wrapped     text   NOT NULL,
  master_id   text   NOT NULL,
  created_at  bigint NOT NULL,
  retired_at  bigint, -- null: in use
  complete_at bigint, -- of the index key: since when nothing is left unsealed
  PRIMARY KEY (tenant_id, id)
);

ALTER TABLE lamina.data_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE lamina.data_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE lamina.data_keys ALTER COLUMN tenant_id SET (n_distinct = 50);
-- No user has business with them: the service asks for them by itself.
CREATE POLICY administration ON lamina.data_keys
  USING (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()))
  WITH CHECK (tenant_id = (SELECT lamina.current_tenant()) AND (SELECT lamina.is_administration()));
-- Whether there are any at all: whoever has no master key must not go on then.
CREATE POLICY directory ON lamina.data_keys FOR SELECT USING ((SELECT lamina.is_directory()));
GRANT SELECT, INSERT, UPDATE, DELETE ON lamina.data_keys TO lamina_service;
