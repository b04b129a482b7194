/** Recall receipts of a user: listed, read, marked and deleted. */

import { LaminaError } from '../../domain/error.ts';
import type { Json } from '../../domain/json.ts';
import { receiptsNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type {
  ListReceiptsInput,
  ListReceiptsOutput,
  MarkReceiptInput,
  RecallReceipt,
  StoredReceipt,
} from '../../domain/recall-receipt.ts';
import type { StateItem } from '../../domain/state.ts';
import { canSee, notFound } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { isoAt, orAbsent, unique } from '../records/record.ts';
import { isOutsideContexts } from '../scoping.ts';
import { MAX_RECEIPT_BYTES } from './record-search.ts';

export interface Receipts {
  /** Oldest first. */
  list(principal: Principal, input: ListReceiptsInput): Promise<ListReceiptsOutput>;
  /** Says of each memory whether it is still there. */
  get(principal: Principal, receiptId: string): Promise<RecallReceipt | null>;
  /** Replaces what was marked before. Throws `NOT_FOUND`, and `MEMORY_NOT_FOUND` for what is not there to see. */
  mark(principal: Principal, input: MarkReceiptInput): Promise<RecallReceipt>;
  /** False when it was not there. */
  delete(principal: Principal, receiptId: string): Promise<boolean>;
}

type Needs = Pick<Dependencies, 'state' | 'entries'>;

export function createReceipts(dependencies: Needs): Receipts {
  const { state } = dependencies;
  return {
    list: (principal, input) => list(dependencies, principal, input),
    get: async (principal, receiptId) => {
      const item = await state.get(principal, receiptsNamespace(principal.userId), receiptId);
      return item && shown(dependencies, principal, item);
    },
    mark: (principal, input) => mark(dependencies, principal, input),
    delete: (principal, receiptId) => state.remove(principal, receiptsNamespace(principal.userId), receiptId),
  };
}

async function list(
  { state }: Needs,
  principal: Principal,
  { since, limit, cursor }: ListReceiptsInput,
): Promise<ListReceiptsOutput> {
  const namespace = receiptsNamespace(principal.userId);
  const first = since === undefined ? undefined : beforeIdsOf(Date.parse(since));
  const { items, nextCursor } = await pageOf<StateItem>({
    list: { namespace, first },
    cursor,
    limit,
    // Each is there once, and none comes before one that was made earlier.
    placeOf: ({ key }) => ({ at: 0, id: key }),
    read: (count, after) => state.list(principal, namespace, count, after?.id ?? first),
  });
  return { receipts: items.map(summaryOf), count: items.length, nextCursor };
}

/** A text that comes before every id that is made at this moment or later, and after all others. */
function beforeIdsOf(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`;
}

function summaryOf(item: StateItem): ListReceiptsOutput['receipts'][number] {
  const { receiptId, createdAt, asked, candidates, relevantIds } = receiptIn(item);
  const resultCount = candidates.filter(({ place }) => place !== null).length;
  const times = { createdAt, expiresAt: expiryOf(item) };
  return { receiptId, query: asked.query, ...times, resultCount, ...(relevantIds && { relevantIds }) };
}

async function mark(
  dependencies: Needs,
  principal: Principal,
  { receiptId, relevantIds: given }: MarkReceiptInput,
): Promise<RecallReceipt> {
  const { state } = dependencies;
  const namespace = receiptsNamespace(principal.userId);
  const relevantIds = unique(given);
  const seen = await inSight(dependencies, principal, relevantIds);
  const unseen = relevantIds.find((id) => !seen.has(id));
  if (unseen !== undefined) throw notFound(unseen);
  for (;;) {
    const item = orAbsent('receipt', await state.get(principal, namespace, receiptId));
    const { relevantIds: _before, ...receipt } = receiptIn(item);
    const value = { ...receipt, ...(relevantIds.length > 0 && { relevantIds }) } as unknown as Json;
    try {
      const write = { mutation: { type: 'set', value }, ifVersion: item.version, maxBytes: MAX_RECEIPT_BYTES } as const;
      return await shown(dependencies, principal, await state.write(principal, namespace, receiptId, write));
    } catch (error) {
      // Marked or deleted in between: look again, so that nothing is made anew of what is gone.
      if (!(error instanceof LaminaError && error.code === 'VERSION_CONFLICT')) throw error;
    }
  }
}

async function shown(dependencies: Needs, principal: Principal, item: StateItem): Promise<RecallReceipt> {
  const { candidates, ...receipt } = receiptIn(item);
  const seen = await inSight(
    dependencies,
    principal,
    candidates.map(({ memoryId }) => memoryId),
  );
  return {
    ...receipt,
    expiresAt: expiryOf(item),
    candidates: candidates.map((each) => ({ ...each, gone: !seen.has(each.memoryId) })),
  };
}

/** Those of the ids that stand for what the principal would get to see. */
async function inSight({ entries }: Needs, principal: Principal, ids: readonly string[]): Promise<Set<string>> {
  const found = ids.length === 0 ? [] : await entries.find(principal, ids);
  const seen = found.filter((entry) => canSee(principal, entry) && isOutsideContexts(entry));
  return new Set(seen.map(({ id }) => id));
}

/** In this namespace nothing else is ever written. */
function receiptIn({ value }: StateItem): StoredReceipt {
  return value as unknown as StoredReceipt;
}

function expiryOf({ expiresAt, createdAt }: StateItem): string {
  return expiresAt ?? isoAt(Date.parse(createdAt));
}
