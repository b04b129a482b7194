/** Searches to compare models by: those of recorded receipts, else the first sentences of memories. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { receiptsNamespace } from '../../domain/namespace.ts';
import type { StoredReceipt } from '../../domain/recall-receipt.ts';
import type { Archive } from '../../ports/archive.ts';
import type { StateStore } from '../../ports/state-store.ts';
import { ownerOfEntry } from '../maintenance/acting.ts';
import { tenantsOf } from './fill-space.ts';
import { OVERLAP_AT, type Asking } from './recall-overlap.ts';

/** Enough to tell a good model from a broken one, and done in seconds. */
const MAX_ASKINGS = 50;
const MAX_PER_TENANT = 10;
const MAX_TENANTS = 100;

/** A sentence is as long as somebody would type. */
const MAX_CHARACTERS = 200;

interface SampleNeeds {
  readonly archive: Pick<Archive, 'tenants' | 'read'>;
  readonly state: Pick<StateStore, 'list'>;
}

export async function sampleAskings(needs: SampleNeeds): Promise<Asking[]> {
  const recorded = await sample(needs, recordedIn);
  return recorded.length > 0 ? recorded : sample(needs, saidIn);
}

type Look = (needs: SampleNeeds, tenantId: string) => Promise<Asking[]>;

async function sample(needs: SampleNeeds, look: Look): Promise<Asking[]> {
  const askings: Asking[] = [];
  let tenants = 0;
  for await (const tenantId of tenantsOf(needs)) {
    askings.push(...(await look(needs, tenantId)));
    tenants += 1;
    if (askings.length >= MAX_ASKINGS || tenants >= MAX_TENANTS) break;
  }
  return askings.slice(0, MAX_ASKINGS);
}

async function recordedIn({ archive, state }: SampleNeeds, tenantId: string): Promise<Asking[]> {
  const askings: Asking[] = [];
  const { items: users } = await archive.read(tenantId, 'users', MAX_TENANTS);
  for (const { id } of users) {
    if (askings.length >= MAX_PER_TENANT) break;
    const principal = { tenantId, userId: id };
    const receipts = await state.list(principal, receiptsNamespace(id), MAX_PER_TENANT);
    for (const { value } of receipts) askings.push(askedIn(principal, value as unknown as StoredReceipt));
  }
  return askings.slice(0, MAX_PER_TENANT);
}

function askedIn(principal: Principal, { asked }: StoredReceipt): Asking {
  return { principal, input: { ...asked, limit: OVERLAP_AT, rerank: false } };
}

/** What somebody said is in the memory, so that they would find it. */
async function saidIn({ archive }: SampleNeeds, tenantId: string): Promise<Asking[]> {
  const { items } = await archive.read(tenantId, 'entries', MAX_PER_TENANT);
  return items.flatMap(({ entry }) => {
    const query = firstSentence(entry);
    const principal = ownerOfEntry(tenantId, entry);
    const { layer, identifiers } = entry;
    return query === ''
      ? []
      : [{ principal, input: { query, identifiers, layers: [layer], limit: OVERLAP_AT, rerank: false } }];
  });
}

function firstSentence({ content }: Entry): string {
  const [sentence = ''] = content.trim().split(/(?<=[.!?。！？])\s|\n/u);
  return sentence.slice(0, MAX_CHARACTERS).trim();
}
