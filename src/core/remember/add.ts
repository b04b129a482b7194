/** Adding entries: one or many, all or none. */

import type { Partition } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { assertWithin } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import type { AddInput, AddOutput } from '../../domain/remember.ts';
import { numbered } from '../../domain/numbered.ts';
import type { EntryTransaction, EntryWrite, Identity } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertMayBePublished } from '../lifecycle/publish.ts';
import { Claims } from './claims.ts';
import { drafting, identifying, unembeddedText, type Draft } from './draft.ts';
import { Embeddings, type Transition } from './embeddings.ts';
import { assertFields } from './fields.ts';
import { findLiving, isFindable, type Living } from './living.ts';
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
  const draftOf = drafting(dependencies, principal);
  const drafts = inputs.map((input, index) => inList(isList, index, () => draftOf(input)));
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
  const identify = identifying();
  const identified = drafts.map((draft, index) => ({ draft, index, identity: identify(draft) }));
  const identities = identified.map(({ identity }) => identity);
  // What is new for all we know is embedded without a look; what is there already is not.
  const areNew = !identities.some(isFindable) || (entries.expectsNew?.(principal, identities) ?? false);
  const known = areNew ? [] : await knownOf(entries, principal, identities);
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

/** So many of a batch tell whether the user brings again what is there. */
const SAMPLE = 8;
/** Of a smaller batch all are looked for. */
const MIN_SAMPLED = 32;

/**
 * What is there already. Of a large batch some are looked for, and the others only where one of these is there: what is missed is embedded
 * in vain and found within the transaction, and where much is there little is missed.
 */
async function knownOf(
  entries: Dependencies['entries'],
  principal: Principal,
  identities: readonly Identity[],
): Promise<readonly (Entry | null)[]> {
  const findable = identities.filter(isFindable);
  if (findable.length >= MIN_SAMPLED) {
    const step = Math.floor(findable.length / SAMPLE);
    const sample = findable.filter((_, at) => at % step === 0);
    const found = await entries.findSame(principal, sample);
    if (found.every((entry) => entry === null)) return [];
  }
  return entries.findSame(principal, identities);
}

interface Resolved {
  readonly resolution: Resolution;
  readonly identified: Identified;
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
  const newId = (): string => ids.next();
  let waiting = drafts;
  while (waiting.length > 0) {
    const claims = new Claims();
    const resolved: Resolved[] = [];
    const identities = waiting.map(({ identity }) => identity);
    const living = await findLiving(principal, tx, identities, now);
    expiredTexts.push(...living.expiredTexts);
    waiting = waiting.filter((identified, position) => {
      const previous = living.found[position] ?? null;
      if (drafts.length > 1 && !claims.take(identified.identity, previous)) return true;
      const resolution = inList(isList, identified.index, () => {
        const next = resolve(principal, identified.draft, previous, newId, now, quarantine);
        // What fits alone may not fit together with what is stored already.
        if (next.status === 'updated') assertFields(next.entry, limits);
        if (previous !== null) assertMayBePublished(dependencies, previous, next.entry);
        return next;
      });
      resolved.push({ resolution, identified, previous });
      return false;
    });
    await writeRound(tx, resolved, embeddings, outputs);
  }
  return { outputs, expiredTexts };
}

/** Puts the output of each into its place. */
async function writeRound(
  tx: EntryTransaction,
  resolved: readonly Resolved[],
  embeddings: Embeddings,
  outputs: AddOutput[],
): Promise<void> {
  const inserts: EntryWrite[] = [];
  const replacements: EntryWrite[] = [];
  try {
    for (const { resolution, identified, previous } of resolved) {
      const { status, entry, told } = resolution;
      const { index } = identified;
      const partition = status === 'created' ? meantPartition(identified, entry) : undefined;
      const write = status === 'unchanged' ? undefined : writeOf(entry, previous, embeddings, partition);
      if (write) (status === 'created' ? inserts : replacements).push(write);
      outputs[index] = outcomeOf(told, status, write?.embedding !== undefined);
    }
  } catch (error) {
    embeddings.assertPrepared(needing(resolved));
    throw error;
  }
  // In this order, because whoever changes or removes an entry also locks it before the place where it lies.
  if (replacements.length > 0) await tx.replace(replacements);
  if (inserts.length > 0) await tx.insert(inserts);
}

/** Where it was meant to lie; undefined where it lies elsewhere, because it waits for review. */
function meantPartition({ draft, identity }: Identified, { status, visibility }: Entry): Partition | undefined {
  return status === 'active' && visibility === draft.placement.visibility ? identity.partition : undefined;
}

/** Those of which vectors are needed. */
function needing(resolved: readonly Resolved[]): Transition[] {
  return resolved.flatMap(({ resolution: { status, entry }, previous }) =>
    status === 'unchanged' ? [] : [{ entry, previous }],
  );
}

function inList<T>(isList: boolean, index: number, work: () => T): T {
  return isList ? numbered('memories', index, work) : work();
}
