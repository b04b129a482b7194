/** Building the whole index anew from the store, tenant by tenant, and counting both in the end. */

import { LaminaError } from '../../domain/error.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Archive } from '../../ports/archive.ts';
import { catchUp } from './catch-up.ts';
import type { IndexNeeds } from './index-needs.ts';
import { rebuild } from './rebuild.ts';

export interface ReindexInput {
  readonly needs: IndexNeeds & { readonly archive: Pick<Archive, 'read' | 'tenants' | 'tallies'> };
  /** Only this one. Default: all. */
  readonly tenantId?: string | undefined;
  readonly signal: AbortSignal;
  /** Told after every page. */
  readonly progress?: ((progress: ReindexProgress) => void) | undefined;
}

export interface ReindexProgress {
  readonly tenantsDone: number;
  readonly tenants: number;
  /** Entries that have been gone through, of so many. */
  readonly done: number;
  readonly total: number;
}

export interface ReindexReport {
  readonly space: EmbeddingSpace;
  readonly tenants: number;
  /** What the index holds now, which is what the store does. */
  readonly vectors: number;
}

const TENANTS_AT_ONCE = 1000;

/** Where others write meanwhile, counts agree only for a moment. */
const MAX_LOOKS = 20;
const LOOK_AGAIN_MS = 100;

/**
 * Can be started again after it was cut short, and goes on where it was. Throws `PROVIDER_ERROR` when the index does not hold
 * in the end what the store does, `NOT_FOUND` for a tenant that is not there, and `UNAVAILABLE`.
 */
export async function reindex(input: ReindexInput): Promise<ReindexReport> {
  const { needs, signal } = input;
  const space = await needs.embedder.space();
  const surveyed = await survey(input);
  const total = surveyed.reduce((sum, { entries }) => sum + entries, 0);
  let [before, vectors] = [0, 0];
  for (const [index, { tenantId, entries }] of surveyed.entries()) {
    const progress = (done: number): void =>
      input.progress?.({ tenantsDone: index, tenants: surveyed.length, done: before + Math.min(done, entries), total });
    // Undefined when somebody else has just begun: then it is taken from them.
    const build = () => rebuild({ needs, space, tenantId, signal, takesOver: true, progress });
    while ((await build()) === undefined) signal.throwIfAborted();
    vectors += await verify(input, space, tenantId);
    before += entries;
    progress(0);
  }
  return { space, tenants: surveyed.length, vectors };
}

interface Surveyed {
  readonly tenantId: string;
  readonly entries: number;
}

/** Which tenants there are, and how much of each. */
async function survey({ needs: { archive, clock }, tenantId }: ReindexInput): Promise<Surveyed[]> {
  const look = async (id: string): Promise<Surveyed> => {
    const { entries } = await archive.tallies(id, clock.now());
    return { tenantId: id, entries: entries.count };
  };
  if (tenantId !== undefined) {
    const found = await look(tenantId);
    if (found.entries > 0) return [found];
    throw new LaminaError('NOT_FOUND', `There is no memory of tenant ${tenantId} to index.`);
  }
  const surveyed: Surveyed[] = [];
  let page = await archive.tenants(TENANTS_AT_ONCE);
  while (page.length > 0) {
    for (const id of page) surveyed.push(await look(id));
    page = await archive.tenants(TENANTS_AT_ONCE, page.at(-1));
  }
  return surveyed;
}

/** How many vectors there are. */
async function verify({ needs, signal }: ReindexInput, space: EmbeddingSpace, tenantId: string): Promise<number> {
  const { index, upkeep, clock } = needs;
  let [stored, indexed] = [0, 0];
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (look > 0) await clock.sleep(LOOK_AGAIN_MS);
    await catchUp(needs, space, tenantId, signal);
    stored = await upkeep.countPoints(tenantId, space);
    indexed = await index.count(space, tenantId);
    if (stored === indexed) return stored;
  }
  throw new LaminaError(
    'PROVIDER_ERROR',
    `The index of tenant ${tenantId} is not what the store holds: ${indexed} vectors, and ${stored} in the store. ` +
      'Is anything else writing to it? Two databases must not share the collections of one prefix.',
    { details: { tenantId, stored, indexed } },
  );
}
