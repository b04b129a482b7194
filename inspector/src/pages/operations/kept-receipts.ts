/** Receipts of what was erased here, with the name that a receipt itself does not say: in memory, as long as the page is open. */

import type { Receipt } from '../../../../src/domain/erasure.ts';

interface Kept {
  readonly receipt: Receipt;
  readonly id: string;
}

const kept = new Map<string, Kept>();

export function keepReceipt(receipt: Receipt, { id }: Pick<Kept, 'id'>): void {
  kept.set(receipt.erasureId, { receipt, id });
}

export function keptReceipt(erasureId: string): Kept | undefined {
  return kept.get(erasureId);
}
