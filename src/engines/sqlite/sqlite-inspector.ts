/** Looking at a tenant's file from outside. */

import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Sizes } from '../../domain/inspection.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Inspector, Tally } from '../../ports/inspector.ts';
import { NOTHING_COUNTED } from '../../domain/erasure.ts';
import { tallyOf, type TallyQuery } from './sqlite-tally.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

/** The same module in a checkout, where types are stripped, and in the package, where they are compiled away. */
const WORKER = new URL(`./sqlite-tally-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/** Bytes: what is smaller is counted in a few milliseconds, sooner than a thread starts. */
const MAX_COUNTED_HERE = 16 * 1024 * 1024;

const SELECT_PROMOTED = `
  SELECT e.id FROM json_each(?) s
  CROSS JOIN entries e ON json_extract(e.provenance, '$.promotedFromEntry') = s.value LIMIT ?`;

const SELECT_ACCESS_TIMES = 'SELECT access_times AS times FROM entries WHERE id = ?';

const { mentions: _mentions, ...NO_SIZES }: Sizes & { mentions: number } = NOTHING_COUNTED;

export class SqliteInspector implements Inspector {
  readonly #tenants: SqliteTenants;
  readonly #maxCountedHere: number;

  /** Files of more than `maxCountedHere` bytes are counted by a thread of its own. */
  constructor(tenants: SqliteTenants, maxCountedHere = MAX_COUNTED_HERE) {
    this.#tenants = tenants;
    this.#maxCountedHere = maxCountedHere;
  }

  tally({ tenantId, userId, agentId }: Principal, since: number, now: number): Promise<Tally> {
    return this.#tally(tenantId, { userId, agentId, since, now });
  }

  tallyTenant(tenantId: string, since: number, now: number): Promise<Tally> {
    return this.#tally(tenantId, { since, now });
  }

  promotedFrom(principal: Principal, ids: readonly string[], limit: number): Promise<string[]> {
    return this.#tenants.read(
      principal,
      ({ connection }) =>
        connection.all<{ id: string }>(SELECT_PROMOTED, JSON.stringify(ids), limit).map(({ id }) => id),
      () => [],
    );
  }

  accessTimes(principal: Principal, id: string): Promise<readonly number[]> {
    return this.#tenants.read(
      principal,
      ({ connection }) => {
        const times = connection.first<{ times: string | null }>(SELECT_ACCESS_TIMES, id)?.times;
        return JSON.parse(times ?? '[]') as number[];
      },
      () => [],
    );
  }

  async #tally(tenantId: string, query: TallyQuery): Promise<Tally> {
    return this.#tenants.read<Tally | Promise<Tally>>(
      { tenantId, userId: '' },
      ({ connection }) => {
        const file = connection.db.name;
        return statSync(file).size <= this.#maxCountedHere ? tallyOf(connection, query) : tallyElsewhere(file, query);
      },
      () => ({ groups: [], growth: [], sizes: NO_SIZES }),
    );
  }
}

async function tallyElsewhere(file: string, query: TallyQuery): Promise<Tally> {
  const worker = new Worker(WORKER, { workerData: { file, query }, execArgv: [] });
  // Rejects with the worker's error, should there be one.
  const [tally] = (await once(worker, 'message')) as [Tally];
  return tally;
}
