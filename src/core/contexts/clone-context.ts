/** A copy of a context: the entries as they are now, in a context of the principal's own. */

import type { CloneContextInput, CloneContextOutput } from '../../domain/context-bundle.ts';
import type { ContextRecord, CreateContextInput } from '../../domain/context.ts';
import type { Principal } from '../../domain/principal.ts';
import { sharedShown } from '../../domain/sharing.ts';
import type { Dependencies } from '../dependencies.ts';
import { merged, taken } from '../records/record.ts';
import { makeContext } from './create-context.ts';
import { deleteContext } from './delete-context.ts';
import { writtenFields } from './export-context.ts';
import { allEntries } from './find-entry.ts';
import { openedBy } from './open-context.ts';
import { logAccess, visiting } from './visit.ts';
import { writeEntries } from './write-entries.ts';

/** A copy that could not be finished leaves nothing behind. */
export function cloneContext(
  dependencies: Dependencies,
  principal: Principal,
  input: CloneContextInput,
): Promise<CloneContextOutput> {
  const visit = { contextId: input.contextId, need: 'read', action: 'contexts.clone' } as const;
  return visiting(dependencies, principal, visit, async (source) => {
    const entries = (await allEntries(dependencies, source)).toReversed();
    const context = await makeCopy(dependencies, principal, source.context, input);
    const writings = entries.map((entry) => ({
      key: entry.externalId ?? '',
      content: entry.content,
      ...writtenFields(entry),
      isArchived: entry.status === 'archived',
    }));
    try {
      await writeEntries(dependencies, principal, openedBy(principal, context), writings);
    } catch (error) {
      await deleteContext(dependencies, principal, { contextId: context.contextId });
      throw error;
    }
    return { context: sharedShown(principal, context), entryCount: entries.length };
  });
}

async function makeCopy(
  dependencies: Dependencies,
  principal: Principal,
  source: ContextRecord,
  { newContextId: contextId = dependencies.ids.next(), name, description }: CloneContextInput,
): Promise<ContextRecord> {
  const fields = merged(described(source), { name, description });
  const record = await makeContext(dependencies, principal, { ...fields, contextId });
  if (record === null) throw taken('context', contextId);
  await logAccess(dependencies, principal, openedBy(principal, record), { action: 'contexts.clone' });
  return record;
}

type Description = Pick<CreateContextInput, 'type' | 'scope' | 'scopeId' | 'name' | 'description' | 'metadata'>;

/** What a copy takes over: not to whom it belongs, nor who has access. What is about an agent is about the new one's. */
export function described({ type, scope, scopeId, name, description, metadata }: Description): Description {
  const about = scope === undefined || scope === 'agent' ? {} : { scope, scopeId };
  return { type, ...about, name, description, metadata };
}
