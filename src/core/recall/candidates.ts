/**
 * What might be recalled: by the store's own indexes, or with an index of vectors beside it. That one says where to look; what
 * is there, who may see it and how near it is, the store says. So the results are the same.
 */

import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Candidate, Embedding, Entries, Probe, Reach } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Indexer } from '../indexing/indexer.ts';

interface Needs extends Pick<Dependencies, 'indexer'> {
  readonly entries: Pick<Entries, 'candidates'>;
}

/** The index is asked for more than is wanted, because some of it will not do: more where there are conditions. */
const MARGIN = 1.25;
const MARGIN_OF_CONDITIONS = 4;

/** Where that was too little, for so many times as much; beyond the most the store's own index finds it sooner. */
const GROWTH = 4;
const MAX_ASKED = 4096;

/** Similarities of the two differ by less. */
const ROUNDING = 1e-4;

const OUT_OF_REACH = 'The vector index could not be used; the store compared vectors itself.';

/** As `Entries.candidates`. Where the index is of no use the store does it alone, and `warnings` says so. */
export async function candidatesOf(
  { entries, indexer }: Needs,
  principal: Principal,
  reach: Reach,
  probe: Probe,
  limit: number,
  warnings: string[],
): Promise<Candidate[]> {
  const { embedding } = probe;
  const byItself = (): Promise<Candidate[]> => entries.candidates(principal, reach, probe, limit);
  if (indexer === undefined || embedding === undefined) return byItself();
  const untold = await untoldOf(indexer, embedding, principal, warnings);
  if (untold === undefined) return byItself();
  let asked = Math.ceil(limit * (hasConditions(reach) ? MARGIN_OF_CONDITIONS : MARGIN));
  for (; asked <= MAX_ASKED; asked *= GROWTH) {
    const near = await reached(warnings, () => indexer.nearest(embedding, principal.tenantId, reach.partitions, asked));
    if (near === undefined) break;
    const ids = [...new Set([...near.map(({ id }) => id), ...untold])];
    const candidates = await entries.candidates(principal, reach, { ...probe, near: ids }, limit);
    const horizon = near.at(-1)?.similarity ?? 0;
    if (near.length < asked || countBeyond(candidates, horizon) >= limit) return candidates;
  }
  return byItself();
}

function hasConditions(reach: Reach): boolean {
  return Object.entries(reach).some(([name, value]) => name !== 'partitions' && value !== undefined);
}

/** How many are at least as near as whatever the index has not given: there is nothing nearer then. */
function countBeyond(candidates: readonly Candidate[], horizon: number): number {
  return candidates.filter(({ similarity }) => similarity !== undefined && similarity >= horizon - ROUNDING).length;
}

/** What to look at besides; undefined where the index is of no use. */
async function untoldOf(
  indexer: Indexer,
  { space }: Embedding,
  { tenantId }: Principal,
  warnings: string[],
): Promise<readonly string[] | undefined> {
  const untold = await reached(warnings, () => indexer.untold(space, tenantId));
  if (untold === undefined || !('warning' in untold)) return untold;
  if (untold.warning !== undefined) warnings.push(untold.warning);
  return undefined;
}

/** Undefined where it fails, which is then said. */
async function reached<T>(warnings: string[], ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof LaminaError)) throw error;
    warnings.push(OUT_OF_REACH);
    return undefined;
  }
}
