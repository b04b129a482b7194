/** Writing an entry of a context under its key. */

import type { PutContextEntryInput, PutContextEntryOutput } from '../../domain/context-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { assertStateVersion } from '../../domain/state.ts';
import { trustOf } from '../../domain/trust.ts';
import type { Dependencies } from '../dependencies.ts';
import { draftAt, type Draft } from '../remember/draft.ts';
import { assertUnexpired } from '../remember/fields.ts';
import { revised } from '../remember/resolve.ts';
import { upsert } from '../remember/upsert.ts';
import { contextEntryOf, fieldsOver, signed } from './context-entry-view.ts';
import { visiting } from './visit.ts';

export function putEntry(
  dependencies: Dependencies,
  principal: Principal,
  input: PutContextEntryInput,
): Promise<PutContextEntryOutput> {
  const { contextId, key, content, expectedVersion, ...given } = input;
  assertUnexpired(given, dependencies.clock.now());
  const visit = { contextId, need: 'write', action: 'contextEntries.put', entryKey: key } as const;
  return visiting(dependencies, principal, visit, async ({ owner, placement }) => {
    const writing = { content, externalId: key, ...signed(fieldsOver(null, given, principal), principal) };
    // By who writes it, and not by whose context it is.
    const draft = { ...draftAt(dependencies, placement, writing), made: trustOf(principal, writing) };
    const { memory, status } = await upsert(dependencies, owner, draft, {
      elsewhere: [],
      settle: (_draft, existing) => {
        assertStateVersion(key, existing?.version ?? 0, expectedVersion);
        const unsigned = { ...draft, fields: fieldsOver(existing, given, principal) };
        // Whoever says what is there already has edited nothing.
        if (existing !== null && existing.status !== 'archived' && saysNothingNew(existing, unsigned)) return unsigned;
        return { ...draft, fields: signed(unsigned.fields, principal) };
      },
    });
    return { status, entry: contextEntryOf(memory, dependencies.clock.now()) };
  });
}

/** Whether the entry stands there just as it would be written, in use or archived. */
export function saysNothingNew(existing: Entry, { content, contentHash, fields }: Draft): boolean {
  return revised(existing, { ...fields, content, contentHash }, existing.updatedAt) === existing;
}
