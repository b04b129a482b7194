/** Creating and changing one entry of the protocol. */

import type { Entry } from '../../domain/entry.ts';
import { invalidField } from '../../domain/error.ts';
import type {
  ChangedKnowledge,
  CreateKnowledgeInput,
  NewKnowledge,
  UpdateKnowledgeInput,
  WriteKnowledgeOutput,
  WriteOptions,
} from '../../domain/openspec.ts';
import type { Principal } from '../../domain/principal.ts';
import { withEmbeddings } from '../browse/embedding.ts';
import { canSee, notFound } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertMayBePublished } from '../lifecycle/publish.ts';
import { addDrafts } from '../remember/add.ts';
import { draftAt, type Draft } from '../remember/draft.ts';
import { update, type Settle } from '../remember/update.ts';
import { isOutsideContexts } from '../scoping.ts';
import { movedTo, placementFor, sensitivityFor } from './access-policy.ts';
import { fieldsOf, knowledgeEntryOf } from './knowledge-fields.ts';

/** Throws when the entry cannot be stored. */
export function knowledgeDraft(dependencies: Dependencies, principal: Principal, entry: NewKnowledge): Draft {
  const { id, content, accessPolicy = 'private' } = entry;
  const placement = placementFor(principal, accessPolicy);
  const sensitivity = sensitivityFor(accessPolicy);
  return draftAt(dependencies, placement, {
    ...fieldsOf(entry, null),
    id,
    content,
    externalId: undefined,
    visibility: placement.visibility,
    ...(sensitivity !== undefined && { sensitivity }),
  });
}

export async function createKnowledge(
  dependencies: Dependencies,
  principal: Principal,
  { entry, options }: CreateKnowledgeInput,
): Promise<WriteKnowledgeOutput> {
  const [output] = await addDrafts(dependencies, principal, [knowledgeDraft(dependencies, principal, entry)]);
  if (output === undefined) throw new Error('A write of one entry answered with none.');
  const status = output.status === 'created' ? 'created' : 'updated';
  return { entry: await shown(dependencies, principal, output.memory, options), status };
}

export async function updateKnowledge(
  dependencies: Dependencies,
  principal: Principal,
  { id, entry, options, expectedVersion }: UpdateKnowledgeInput,
): Promise<WriteKnowledgeOutput> {
  if (entry.id !== undefined && entry.id !== id) throw invalidField('entry.id', 'differs from the id in the path');
  const changed = await changeKnowledge(dependencies, principal, id, entry, expectedVersion);
  return { entry: await shown(dependencies, principal, changed, options), status: 'updated' };
}

/** What is left out stays. Throws `MEMORY_NOT_FOUND`, `FORBIDDEN`, `VERSION_CONFLICT`. */
export async function changeKnowledge(
  dependencies: Dependencies,
  principal: Principal,
  id: string,
  entry: ChangedKnowledge,
  expectedVersion?: number,
): Promise<Entry> {
  const [existing] = await dependencies.entries.find(principal, [id]);
  if (existing === undefined || !canSee(principal, existing)) throw notFound(id);
  const change = { id, content: entry.content, expectedVersion, ...fieldsOf(entry, existing) };
  const settle = settling(dependencies, principal, entry);
  return (await update(dependencies, principal, change, isOutsideContexts, settle)).memory;
}

function settling(
  dependencies: Dependencies,
  principal: Principal,
  { accessPolicy: policy }: ChangedKnowledge,
): Settle {
  return (next, current, now) => {
    const standing = policy === undefined ? undefined : movedTo(principal, current, policy);
    if (standing === undefined) return next;
    // The sensitivity implied by a policy does not lower the one that an entry already has.
    assertMayBePublished(dependencies, current, { ...standing, sensitivity: next.sensitivity });
    const { version } = current;
    return { ...next, ...standing, version: version + 1, previousVersion: version, updatedAt: now };
  };
}

async function shown(
  dependencies: Dependencies,
  principal: Principal,
  memory: Entry,
  options: WriteOptions = {},
): Promise<WriteKnowledgeOutput['entry']> {
  const [entry] = options.generateEmbedding ? await withEmbeddings(dependencies, principal, [memory]) : [];
  return knowledgeEntryOf(entry ?? memory);
}
