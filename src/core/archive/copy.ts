/**
 * Copying everything from one database to another. The target itself records the progress of a copy: pages are written in
 * the order in which they are read, so that an interrupted copy resumes after the last item that arrived, and a complete
 * one finds nothing to do.
 */

import { COLLECTIONS, TALLIED, type Collection, type Tallies } from '../../domain/archive.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Archive } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import { copyErasures } from './copy-erasures.ts';
import { copyTenant } from './copy-tenant.ts';

export interface CopyInput {
  /** Must not be written to meanwhile: a change behind the copy shows in the final count, and fails it. */
  readonly from: Archive;
  readonly to: Archive;
  readonly clock: Clock;
  /** Only this one. Default: all. */
  readonly tenantId?: string | undefined;
  /** Items at once; each may have some hundred kilobytes. Default 100. */
  readonly pageSize?: number | undefined;
  /** Told after every page. */
  readonly progress?: ((progress: CopyProgress) => void) | undefined;
}

export interface CopyProgress {
  /** The one at hand, how many are complete, and how many there are. */
  readonly tenantId: string;
  readonly tenantsDone: number;
  readonly tenants: number;
  readonly collection: Collection;
  /** Items that have arrived, now or before, of so many. */
  readonly done: number;
  readonly total: number;
}

export interface CopyReport {
  readonly tenants: number;
  /** What the source holds, and the target as well. */
  readonly counts: { readonly [Name in keyof Tallies]: number };
  /** What arrived now; the rest was there before. */
  readonly copied: { readonly [C in Collection]: number };
  /** Receipts of tenants that were erased. */
  readonly erasures: number;
}

interface Surveyed {
  readonly tenantId: string;
  readonly items: number;
}

const TENANTS_AT_ONCE = 1000;
const DEFAULT_PAGE_SIZE = 100;

/**
 * Throws `VERSION_CONFLICT` when the target has other memory of a tenant, or when the counts differ in the end. What
 * arrived until then stays, and the copy can be started again. Throws `NOT_FOUND` for a tenant that is not there.
 */
export async function copyArchive(input: CopyInput): Promise<CopyReport> {
  const surveyed = await survey(input);
  const total = surveyed.reduce((sum, { items }) => sum + items, 0);
  const counts = zeros(TALLIED);
  const copied = zeros(COLLECTIONS);
  let done = 0;
  for (const [index, { tenantId }] of surveyed.entries()) {
    const tallies = await copyTenant({
      ...input,
      tenantId,
      pageSize: input.pageSize ?? DEFAULT_PAGE_SIZE,
      arrived: (collection, count, when) => {
        done += count;
        if (when === 'now') copied[collection] += count;
        input.progress?.({ tenantId, tenantsDone: index, tenants: surveyed.length, collection, done, total });
      },
    });
    for (const name of TALLIED) counts[name] += tallies[name].count;
  }
  return { tenants: surveyed.length, counts, copied, erasures: await copyErasures(input) };
}

/** Which tenants there are, and how much of each. */
async function survey({ from, clock, tenantId }: CopyInput): Promise<Surveyed[]> {
  const surveyed: Surveyed[] = [];
  const look = async (id: string): Promise<number> => {
    const tallies = await from.tallies(id, clock.now());
    const items = COLLECTIONS.reduce((sum, collection) => sum + tallies[collection].count, 0);
    surveyed.push({ tenantId: id, items });
    return items;
  };
  if (tenantId !== undefined) {
    if ((await look(tenantId)) > 0) return surveyed;
    throw new LaminaError('NOT_FOUND', `The source has no tenant ${tenantId}.`);
  }
  let page = await from.tenants(TENANTS_AT_ONCE);
  while (page.length > 0) {
    for (const id of page) await look(id);
    page = await from.tenants(TENANTS_AT_ONCE, page.at(-1));
  }
  return surveyed;
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
