/** What somebody would try who has a connection of the service and wants to see or change what is not theirs. */

import { THEIRS } from './two-tenants.ts';

/** Identity columns are overridden, so that nothing but the policies can refuse. */
export const copyOf = (table: string, changes: object, ends = ''): string =>
  `INSERT INTO lamina.${table} OVERRIDING SYSTEM VALUE
   SELECT (jsonb_populate_record(t, '${JSON.stringify(changes)}'::jsonb)).* FROM lamina.${table} t ${ends}`;

/** Every way to read a table that a login without privileges on anything else has. */
export const READINGS: Readonly<Record<string, (table: string) => string[]>> = {
  'a select': (table) => [`SELECT * FROM lamina.${table}`],
  'whole rows': (table) => [`SELECT t::text, t.ctid FROM lamina.${table} t ORDER BY 1`],
  'a condition that is always true': (table) => [`SELECT * FROM lamina.${table} WHERE true OR 'x' = 'y'`],
  'a common table expression': (table) => [`WITH x AS MATERIALIZED (SELECT * FROM lamina.${table}) SELECT * FROM x`],
  'an aggregate': (table) => [`SELECT json_agg(t) FROM lamina.${table} t`],
  'a sample': (table) => [`SELECT * FROM lamina.${table} TABLESAMPLE SYSTEM (100)`],
  'a union with itself': (table) => [
    `SELECT t::text FROM lamina.${table} t UNION SELECT t::text FROM lamina.${table} t`,
  ],
  'a view': (table) => [
    `CREATE OR REPLACE TEMP VIEW v_${table} WITH (security_barrier = false) AS SELECT * FROM lamina.${table}`,
    `SELECT * FROM v_${table}`,
  ],
  'a function that runs as its maker': (table) => [
    `CREATE OR REPLACE FUNCTION pg_temp.f_${table}() RETURNS SETOF lamina.${table} LANGUAGE sql SECURITY DEFINER
       AS 'SELECT * FROM lamina.${table}'`,
    `SELECT * FROM pg_temp.f_${table}()`,
  ],
  'a condition that tells what it sees': (table) => [
    `CREATE OR REPLACE FUNCTION pg_temp.tell(what text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001
       AS $$ BEGIN RAISE NOTICE '%', what; RETURN true; END $$`,
    `SELECT 1 FROM lamina.${table} t WHERE pg_temp.tell(t::text)`,
  ],
  'an error that quotes what it sees': (table) => [`SELECT (t::text)::int FROM lamina.${table} t`],
  'XML made of a query': (table) => [`SELECT query_to_xml('SELECT * FROM lamina.${table}', true, false, '')::text`],
  'a cursor': (table) => [
    `DECLARE c_${table} SCROLL CURSOR FOR SELECT * FROM lamina.${table}`,
    `FETCH ALL FROM c_${table}`,
    `FETCH BACKWARD ALL FROM c_${table}`,
  ],
  'a copy': (table) => [`COPY lamina.${table} TO STDOUT`],
  'a copy of a query': (table) => [`COPY (SELECT * FROM lamina.${table}) TO STDOUT (FORMAT csv)`],
  'a table made of it': (table) => [
    `CREATE TEMP TABLE copy_of_${table} ON COMMIT DROP AS SELECT * FROM lamina.${table}`,
    `SELECT * FROM copy_of_${table}`,
  ],
  'a plan with its figures': (table) => [
    `EXPLAIN (ANALYZE, VERBOSE, BUFFERS) SELECT * FROM lamina.${table} t WHERE t::text LIKE '%'`,
  ],
  'rows that are locked': (table) => [`SELECT * FROM lamina.${table} FOR UPDATE`],
  'security turned off': (table) => ['SET LOCAL row_security = off', `SELECT * FROM lamina.${table}`],
};

/** What takes more than a privilege on rows, and is the owner's or a superuser's. */
export const ESCAPES: readonly string[] = [
  'ALTER TABLE lamina.entries DISABLE ROW LEVEL SECURITY',
  'ALTER TABLE lamina.entries NO FORCE ROW LEVEL SECURITY',
  'ALTER TABLE lamina.entries DISABLE TRIGGER ALL',
  'ALTER TABLE lamina.entries OWNER TO CURRENT_USER',
  'DROP POLICY read ON lamina.entries',
  'CREATE POLICY mine ON lamina.entries USING (true)',
  'DROP TABLE lamina.state',
  'CREATE TABLE lamina.mine (id int)',
  'CREATE VIEW lamina.mine AS SELECT * FROM lamina.entries',
  'CREATE VIEW public.mine AS SELECT * FROM lamina.entries',
  `CREATE FUNCTION lamina.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
  `CREATE OR REPLACE FUNCTION lamina.current_tenant() RETURNS uuid LANGUAGE sql AS $$ SELECT '${THEIRS}'::uuid $$`,
  'CREATE INDEX mine ON lamina.entries (content)',
  'CREATE STATISTICS mine ON content, owner_id FROM lamina.entries',
  'CREATE TRIGGER mine AFTER INSERT ON lamina.entries EXECUTE FUNCTION suppress_redundant_updates_trigger()',
  'CREATE RULE mine AS ON INSERT TO lamina.entries DO ALSO NOTHING',
  'CREATE SCHEMA mine',
  'CREATE EXTENSION dblink',
  'CREATE PUBLICATION mine FOR TABLE lamina.entries',
  'ALTER ROLE lamina_service BYPASSRLS',
  'CREATE ROLE mine SUPERUSER',
  'SET SESSION AUTHORIZATION postgres',
  `SET LOCAL session_replication_role = 'replica'`,
  'SELECT lamina.add_words(ARRAY[]::lamina.indexed_entry[])',
  'SELECT lamina.remove_words(ARRAY[]::lamina.indexed_entry[])',
  'SELECT lamina.remove_empty_partitions(ARRAY[]::lamina.indexed_entry[])',
  `SELECT setval('lamina.versions', 1)`,
  'SELECT last_value FROM lamina.versions',
  `SELECT nextval('lamina.entries_seq_seq')`,
  'SELECT * FROM pg_statistic',
  'SELECT * FROM pg_largeobject',
  `SELECT lo_export(1, '/dev/null')`,
  `SELECT pg_read_file('postmaster.pid')`,
  `COPY lamina.entries TO PROGRAM 'cat'`,
  "CREATE SUBSCRIPTION mine CONNECTION 'host=127.0.0.1' PUBLICATION mine WITH (connect = false)",
];
