/** Receipts of erasures: proof that something was removed, without saying what. */

import { hash } from 'node:crypto';
import type { ErasureCounts, Receipt } from '../../domain/erasure.ts';
import { canonicalJson } from '../../domain/json.ts';
import { snakeCase } from '../../domain/spelling.ts';

/** SHA-256 of an id, in hexadecimal. */
export function hashOfId(id: string): string {
  return hash('sha256', id);
}

/** What stands in the audit log for someone who must not be named there. */
export function pseudonymOf(id: string): string {
  return `sha256:${hashOfId(id)}`;
}

export function receiptOf(erasure: Omit<Receipt, 'hash'>): Receipt {
  return { ...erasure, hash: receiptHash(erasure) };
}

/** Over the receipt as it travels: in snake_case, with sorted keys and no spaces, so that anyone can compute it again. */
export function receiptHash({ erasureId, subject, subjectHash, counts, completedAt }: Omit<Receipt, 'hash'>): string {
  return hash(
    'sha256',
    canonicalJson(inSnakeCase({ erasureId, subject, subjectHash, completedAt, counts: inSnakeCase(counts) })),
  );
}

function inSnakeCase(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value as unknown]));
}

export function isNothing(counts: ErasureCounts): boolean {
  return Object.values(counts).every((count) => count === 0);
}
