/** Recording a search: its answer does not depend on whether that succeeds. */

import { receiptsNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import { MAX_RECEIPTS, RECEIPT_DAYS, type StoredReceipt } from '../../domain/recall-receipt.ts';
import type { SearchOutput } from '../../domain/recall.ts';
import type { Json } from '../../domain/json.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { toldOf, type Searched } from './receipt-draft.ts';

/** More than a query and what is told of as many candidates can have. */
export const MAX_RECEIPT_BYTES: number = 1024 * 1024;

const KEPT_MS = RECEIPT_DAYS * 24 * 60 * 60 * 1000;

type Needs = Pick<Dependencies, 'state' | 'clock' | 'ids' | 'version' | 'ranking'>;

/** The answer with the receipt's id, or with a warning where there is none. */
export async function recordSearch(needs: Needs, principal: Principal, searched: Searched): Promise<SearchOutput> {
  const { output } = searched;
  try {
    return { ...output, receiptId: await keep(needs, principal, searched) };
  } catch {
    return { ...output, warnings: [...(output.warnings ?? []), 'The search could not be recorded.'] };
  }
}

async function keep(needs: Needs, principal: Principal, searched: Searched): Promise<string> {
  const { state, clock, ids } = needs;
  const namespace = receiptsNamespace(principal.userId);
  const now = clock.now();
  const receipt: StoredReceipt = {
    receiptId: ids.next(),
    createdAt: isoAt(now),
    ...(await toldOf(needs, principal, searched)),
  };
  await makeRoom(needs, principal, namespace);
  await state.write(principal, namespace, receipt.receiptId, {
    mutation: { type: 'set', value: receipt as unknown as Json },
    expiresAt: now + KEPT_MS,
    maxBytes: MAX_RECEIPT_BYTES,
  });
  return receipt.receiptId;
}

/** Ids begin with the time, so that the first key is that of the oldest. */
async function makeRoom({ state }: Needs, principal: Principal, namespace: string): Promise<void> {
  const { count } = await state.measure(principal, namespace);
  const surplus = count - MAX_RECEIPTS + 1;
  if (surplus <= 0) return;
  for (const { key } of await state.list(principal, namespace, surplus)) await state.remove(principal, namespace, key);
}
