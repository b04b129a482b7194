/** Looking at a tenant from outside: as a user sees it, and as administration does. */

import type { DayOfGrowth, MemoryGroup, Sizes, SpaceSize } from '../../domain/inspection.ts';
import { workingNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Inspector, Tally } from '../../ports/inspector.ts';
import { growthOf, type EventTally } from '../sql/growth.ts';
import { contextOf, type Context, type PostgresDatabase } from './postgres-database.ts';
import { countOwn, countTenant, partsOf } from './postgres-erasure-parts.ts';

// Partitions count their entries, also those that have expired and are not removed yet. Who sees which is for the policies to say; of agents they know nothing.
const IS_IN_CONTEXT = `
  json_array_length(p.scope_key::json) > CASE WHEN p.layer IN ('agent', 'session') THEN 3 ELSE 2 END`;

// By the index of what expires, which is mostly little: to look at each entry would take longer than all else.
const EXPIRED = `
  SELECT e.partition_id, count(*) AS count, count(*) FILTER (WHERE e.created_at >= $2::bigint) AS created
  FROM lamina.entries e WHERE e.tenant_id = $1::uuid AND e.expires_at <= $3::bigint GROUP BY e.partition_id`;

function selectGroups(condition: string): string {
  return `
    SELECT p.layer, p.key::json ->> 0 AS kind,
           coalesce(p.key::json ->> 3, 'active') AS status,
           ${IS_IN_CONTEXT} AS "isInContext", sum(p.entry_count - coalesce(x.count, 0))::bigint AS count, sum((
             SELECT count(*) FROM lamina.entries e
             WHERE e.tenant_id = p.tenant_id AND e.partition_id = p.id AND e.created_at >= $2::bigint)
             - coalesce(x.created, 0))::bigint AS created
    FROM lamina.partitions p LEFT JOIN (${EXPIRED}) x ON x.partition_id = p.id
    WHERE p.tenant_id = $1::uuid AND p.entry_count > coalesce(x.count, 0) ${condition} GROUP BY 1, 2, 3, 4`;
}

const SELECT_GROUPS = selectGroups('');
const SELECT_SEEN_GROUPS = selectGroups(`
  AND NOT (${IS_IN_CONTEXT}) AND (p.audience IS NULL OR $4::text IS NULL OR p.layer <> 'agent'
    OR p.scope_key::json ->> 2 = $4::text)`);

/** $3 is the agent that asks, or null. */
const SELECT_GROWTH = `
  SELECT e.at / 86400000 AS day, e.type, count(*) AS count FROM lamina.events e
  WHERE e.tenant_id = $1::uuid AND e.at >= $2::bigint AND e.pool_id IS NULL AND e.type <> 'updated'
    AND ($3::text IS NULL OR e.agent_id IS NULL OR e.agent_id = $3::text)
  GROUP BY 1, 2`;

const SELECT_SPACES = `
  SELECT s.model, s.dimensions, v.count FROM lamina.embedding_spaces s JOIN (
    SELECT e.space_id, count(*) AS count FROM lamina.embeddings e WHERE e.tenant_id = $1::uuid GROUP BY e.space_id) v
  ON v.space_id = s.id ORDER BY s.id`;

const SELECT_PROMOTED = `
  SELECT e.id FROM lamina.entries e
  WHERE e.tenant_id = $1::uuid AND e.provenance ->> 'promotedFromEntry' IS NOT NULL
    AND e.provenance ->> 'promotedFromEntry' = ANY ($2::text[])
  LIMIT $3::bigint`;

const SELECT_ACCESS_TIMES = `
  SELECT to_json(a.access_times) AS times FROM lamina.entries e
  JOIN lamina.entry_accesses a ON a.tenant_id = e.tenant_id AND a.seq = e.seq
  WHERE e.tenant_id = $1::uuid AND e.id = $2::uuid`;

export class PostgresInspector implements Inspector {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async tally(principal: Principal, since: number, now: number): Promise<Tally> {
    const { tenantId, userId, agentId = null } = principal;
    const context = contextOf(principal);
    const [groups, growth, sizes] = await Promise.all([
      this.#database.read<MemoryGroup>(context, SELECT_SEEN_GROUPS, [tenantId, since, now, agentId]),
      this.#growth(context, tenantId, since, agentId),
      this.#sizesOfUser(tenantId, userId),
    ]);
    return { groups, growth, sizes };
  }

  async tallyTenant(tenantId: string, since: number, now: number): Promise<Tally> {
    const context = administration(tenantId);
    const [groups, growth, sizes, spaces] = await Promise.all([
      this.#database.read<MemoryGroup>(context, SELECT_GROUPS, [tenantId, since, now]),
      this.#growth(context, tenantId, since, null),
      this.#sizesOfTenant(tenantId),
      this.#database.read<SpaceSize>(context, SELECT_SPACES, [tenantId]),
    ]);
    return { groups, growth, sizes, spaces };
  }

  async promotedFrom(principal: Principal, ids: readonly string[], limit: number): Promise<string[]> {
    const values = [principal.tenantId, ids, limit];
    const rows = await this.#database.read<{ id: string }>(contextOf(principal), SELECT_PROMOTED, values);
    return rows.map(({ id }) => id);
  }

  async accessTimes(principal: Principal, id: string): Promise<readonly number[]> {
    const values = [principal.tenantId, id];
    const [row] = await this.#database.read<{ times: number[] }>(contextOf(principal), SELECT_ACCESS_TIMES, values);
    return row?.times ?? [];
  }

  async #growth(context: Context, tenantId: string, since: number, agentId: string | null): Promise<DayOfGrowth[]> {
    return growthOf(await this.#database.read<EventTally>(context, SELECT_GROWTH, [tenantId, since, agentId]));
  }

  /** As administration: some of what belongs to a user is not the user's to see row by row. */
  #sizesOfUser(tenantId: string, userId: string): Promise<Sizes> {
    return this.#database.transaction(administration(tenantId), async (transaction) =>
      countOwn(transaction, await partsOf(transaction, tenantId, userId, workingNamespace)),
    );
  }

  async #sizesOfTenant(tenantId: string): Promise<Sizes> {
    const { mentions: _mentions, ...sizes } = await this.#database.transaction(
      administration(tenantId),
      (transaction) => countTenant(transaction, tenantId),
    );
    return sizes;
  }
}

function administration(tenantId: string): Context {
  return { tenantId, purpose: 'administration' };
}
