/** Walks the chain of an audit log, and reports the first entry that was altered. */

import type { AuditVerification } from '../../domain/audit.ts';
import { linkHash, sealOf, type LoggedEntry } from '../../domain/audit-chain.ts';
import type { ChainPosition } from '../../ports/audit-log.ts';
import { hashOfId } from './receipt.ts';

const PAGE_SIZE = 500;

type Read = (limit: number, after: ChainPosition) => Promise<readonly LoggedEntry[]>;

/** `head` is a hash that has to be in it. */
export async function verifyChain(read: Read, head?: string): Promise<AuditVerification> {
  const before: LoggedEntry[] = [];
  let last: LoggedEntry | undefined;
  let isHeadThere = head === undefined;
  let entries = 0;
  const found = (firstBroken?: AuditVerification['firstBroken']): AuditVerification => ({
    ok: firstBroken === undefined,
    entries,
    before: before.length,
    head: last?.entry.hash ?? null,
    ...(firstBroken && { firstBroken }),
  });
  for await (const item of entriesOf(read)) {
    const { sequence, id, hash } = item.entry;
    if (sequence === undefined) {
      if (last !== undefined)
        return found({ id, problem: 'An entry without a place comes after the chain has begun.' });
      before.push(item);
      continue;
    }
    const problem = problemWith(item, last, before);
    if (problem !== undefined) return found({ sequence, id, problem });
    entries += 1;
    last = item;
    isHeadThere ||= hash === head;
  }
  if (isHeadThere) return found();
  return found({
    problem: 'The head that was given is not in the chain: its end was cut off, or all of it written anew.',
  });
}

async function* entriesOf(read: Read): AsyncGenerator<LoggedEntry> {
  let after: ChainPosition = { sequence: 0, id: '' };
  for (;;) {
    const page = await read(PAGE_SIZE, after);
    yield* page;
    const last = page.at(-1)?.entry;
    if (last === undefined) return;
    after = { sequence: last.sequence ?? 0, id: last.id };
  }
}

function problemWith(
  { log, entry }: LoggedEntry,
  last: LoggedEntry | undefined,
  before: readonly LoggedEntry[],
): string | undefined {
  const { sequence = 0, previous, hash } = entry;
  const expected = (last?.entry.sequence ?? 0) + 1;
  if (sequence > expected) {
    const gone = sequence - expected === 1 ? `Entry ${expected} is` : `Entries ${expected} to ${sequence - 1} are`;
    return `${gone} missing before it.`;
  }
  if (sequence < expected) return 'There are two entries at this place.';
  if (hash !== linkHash(hashOfId, log, entry)) return 'It is not as it was written: its hash does not fit.';
  if (last === undefined && previous !== sealOf(hashOfId, before)) {
    return 'What was logged before the chain is not as it was when the chain began.';
  }
  if (last !== undefined && previous !== last.entry.hash) {
    return `It does not follow on entry ${expected - 1}: that one was put in, moved or written anew.`;
  }
  return undefined;
}
