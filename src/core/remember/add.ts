/** Adding entries: one or many, all or none. */

import type { Entry } from '../../domain/entry.ts';
import { assertWithin } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddInput, AddOutput } from '../../domain/remember.ts';
import { scopeKey } from '../../domain/scope.ts';
import { numbered } from '../../domain/numbered.ts';
import type { EntryTransaction, EntryWrite, Identity } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertMayBePublished } from '../lifecycle/publish.ts';
import { draftOf, identityOf, unembeddedText, type Draft } from './draft.ts';
import { Embeddings } from './embeddings.ts';
import { assertFields } from './fields.ts';
import { findLiving, type Living } from './living.ts';
import { resolve, type Resolution } from './resolve.ts';
import { outcomeOf, writeOf } from './write.ts';

/**
 * Durable when it resolves; outputs in the order of the inputs. A bad input or a failed embedding stores nothing. Where the
 * caller gave a list, an error in one of them says in which.
 */
export async function addMany(
  dependencies: Dependencies,
  principal: Principal,
  inputs: readonly AddInput[],
  isList: boolean = inputs.length > 1,
): Promise<AddOutput[]> {
  assertWithin('LIMIT_EXCEEDED', 'The batch', inputs.length, dependencies.limits.batchSize, 'entries');
  const drafts = inputs.map((input, index) => inList(isList, index, () => draftOf(dependencies, principal, input)));
  return addDrafts(dependencies, principal, drafts, isList);
}

/** The same for drafts, whose places the caller is known to be allowed to write to. */
export async function addDrafts(
  dependencies: Dependencies,
  principal: Principal,
  drafts: readonly Draft[],
  isList: boolean = drafts.length > 1,
): Promise<AddOutput[]> {
  const { entries, embedder } = dependencies;
  const identified = drafts.map((draft, index) => ({ draft, index, identity: identityOf(draft) }));
  const identities = identified.map(({ identity }) => identity);
  // What is new for all we know is embedded without a look; what is there already is not.
  const known = entries.expectsNew?.(principal, identities) ? [] : await entries.findSame(principal, identities);
  const embeddings = new Embeddings(embedder);
  await embeddings.prepare(drafts.flatMap((draft, index) => unembeddedText(draft, known[index]) ?? []));
  const { outputs, expiredTexts } = await embeddings.retrying(() =>
    entries.transaction(principal, (tx) => writeDrafts(dependencies, principal, tx, identified, embeddings, isList)),
  );
  if (expiredTexts.length > 0) embedder.forget(expiredTexts);
  return outputs;
}

export async function addOne(dependencies: Dependencies, principal: Principal, input: AddInput): Promise<AddOutput> {
  const [output] = await addMany(dependencies, principal, [input]);
  if (output === undefined) throw new Error('A write of one entry answered with none.');
  return output;
}

interface Written extends Pick<Living, 'expiredTexts'> {
  readonly outputs: AddOutput[];
}

interface Identified {
  readonly draft: Draft;
  readonly identity: Identity;
  /** Its place among the inputs. */
  readonly index: number;
}

interface Resolved extends Resolution {
  readonly index: number;
  readonly previous: Entry | null;
}

/**
 * Writes the drafts in rounds. A round holds drafts that cannot meet in one entry, so that it can be looked up and
 * written as a whole; a draft that repeats an earlier one of its batch waits for the next round and finds it stored.
 */
async function writeDrafts(
  dependencies: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  drafts: readonly Identified[],
  embeddings: Embeddings,
  isList: boolean,
): Promise<Written> {
  const { clock, ids, limits, quarantine } = dependencies;
  const outputs: AddOutput[] = [];
  const expiredTexts: string[] = [];
  const now = new Date(clock.now()).toISOString();
  let waiting = drafts;
  while (waiting.length > 0) {
    const claims = new Set<string>();
    const resolved: Resolved[] = [];
    const identities = waiting.map(({ identity }) => identity);
    const living = await findLiving(principal, tx, identities, now);
    expiredTexts.push(...living.expiredTexts);
    waiting = waiting.filter(({ draft, index, identity }, position) => {
      const existing = living.found[position] ?? null;
      if (drafts.length > 1 && !claim(claims, identity, existing)) return true;
      const resolution = inList(isList, index, () => {
        const next = resolve(principal, draft, existing, () => ids.next(), now, quarantine);
        // What fits alone may not fit together with what is stored already.
        if (next.status === 'updated') assertFields(next.entry, limits);
        if (existing !== null) assertMayBePublished(dependencies, existing, next.entry);
        return next;
      });
      const { status, entry, told } = resolution;
      resolved.push({ status, entry, told, index, previous: existing });
      return false;
    });
    for (const [index, output] of await writeRound(tx, resolved, embeddings)) outputs[index] = output;
  }
  return { outputs, expiredTexts };
}

/** The output of each, with its place among the inputs. */
async function writeRound(
  tx: EntryTransaction,
  resolved: readonly Resolved[],
  embeddings: Embeddings,
): Promise<[number, AddOutput][]> {
  const inserts: EntryWrite[] = [];
  const replacements: EntryWrite[] = [];
  embeddings.assertPrepared(resolved.filter(({ status }) => status !== 'unchanged'));
  const outputs = resolved.map(({ status, entry, told, previous, index }): [number, AddOutput] => {
    const write = status === 'unchanged' ? undefined : writeOf(entry, previous, embeddings);
    if (write) (status === 'created' ? inserts : replacements).push(write);
    return [index, outcomeOf(told, status, write?.embedding !== undefined)];
  });
  // In this order, because whoever changes or removes an entry also locks it before the place where it lies.
  if (replacements.length > 0) await tx.replace(replacements);
  if (inserts.length > 0) await tx.insert(inserts);
  return outputs;
}

/** Takes every name under which this draft could meet another one; false when one of them is taken already. */
function claim(claims: Set<string>, identity: Identity, existing: Entry | null): boolean {
  const { scope, kind } = identity.partition;
  // Without the audience: what is private and what is shared are the same when they say the same.
  const place = JSON.stringify([scopeKey(scope), kind, identity.ownerId]);
  const names = [
    identity.id,
    existing?.id,
    identity.externalId !== undefined && `${place}external ${identity.externalId}`,
    identity.contentHash !== undefined && `${place}content ${identity.contentHash}`,
  ].filter((name) => typeof name === 'string');
  if (names.some((name) => claims.has(name))) return false;
  for (const name of names) claims.add(name);
  return true;
}

function inList<T>(isList: boolean, index: number, work: () => T): T {
  return isList ? numbered('memories', index, work) : work();
}
