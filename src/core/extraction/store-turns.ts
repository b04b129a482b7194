/** Storing what is new of a conversation as episodes. What is there already is found, and stays as it is. */

import type { Entry } from '../../domain/entry.ts';
import type { RememberedTurn, RememberInput } from '../../domain/extraction.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { Embeddings } from '../remember/embeddings.ts';
import { resolve } from '../remember/resolve.ts';
import { writeOf } from '../remember/write.ts';
import { rehearsable } from './rehearsal.ts';
import type { Said } from './said.ts';
import { planTurns, type PlannedTurn, type Turns } from './plan-turns.ts';

/** What became of a message, and the episode that it is; null for what is not stored. */
export interface StoredTurn {
  readonly status: RememberedTurn['status'];
  readonly reason?: RememberedTurn['reason'];
  readonly episode: Entry | null;
}

/**
 * In the order of the messages; all or none. Of any number of calls that bring the same turns one stores them: each turn
 * has a name, and two cannot have the same. Throws `EMBEDDING_FAILED`, and then stores nothing.
 */
export async function storeTurns(
  dependencies: Dependencies,
  principal: Principal,
  messages: readonly Said[],
  input: RememberInput,
): Promise<StoredTurn[]> {
  const { entries, embedder, ids } = dependencies;
  const plan = (turns: Turns): Promise<PlannedTurn[]> => planTurns(dependencies, principal, turns, messages, input);
  const foreseen = await plan({
    findSame: (identities) => entries.findSame(principal, identities),
    list: (selection, limit) => entries.list(principal, selection, limit),
  });
  if (foreseen.every(({ draft }) => draft === undefined)) return foreseen.map(stored);
  const embeddings = new Embeddings(embedder);
  const texts = foreseen.flatMap(({ draft }) => draft?.content ?? []);
  await embeddings.prepare(texts).catch(async (error: unknown) => {
    // Where neither can be asked, as after closing, the store says why. One that has no such entry does nothing.
    await entries.find(principal, [ids.next()]);
    throw error;
  });
  const turns = await embeddings.retrying(() =>
    rehearsable<StoredTurn[]>(input.dryRun, (run) =>
      entries.transaction(principal, (tx) =>
        run(async () => write(dependencies, principal, tx, await plan(tx), embeddings)),
      ),
    ),
  );
  if (input.dryRun === true) embedder.forget(texts);
  return turns;
}

async function write(
  { clock, ids, quarantine }: Dependencies,
  principal: Principal,
  tx: EntryTransaction,
  plan: readonly PlannedTurn[],
  embeddings: Embeddings,
): Promise<StoredTurn[]> {
  const now = isoAt(clock.now());
  const outcomes = plan.map((planned) => {
    const { draft, existing } = planned;
    if (draft === undefined) return { ...stored(planned), previous: existing };
    const { status, entry } = resolve(principal, draft, existing, () => ids.next(), now, quarantine);
    return { status, episode: entry, previous: existing };
  });
  const transitions = outcomes.flatMap(({ status, episode, previous }) =>
    episode !== null && (status === 'created' || status === 'updated') ? [{ entry: episode, previous }] : [],
  );
  embeddings.assertPrepared(transitions);
  const writes = transitions.map(({ entry, previous }) => ({ previous, write: writeOf(entry, previous, embeddings) }));
  await tx.replace(writes.filter(({ previous }) => previous !== null).map((each) => each.write));
  await tx.insert(writes.filter(({ previous }) => previous === null).map((each) => each.write));
  return outcomes.map(({ previous: _before, ...turn }) => turn);
}

/** One that is not to be written. */
function stored({ skip, existing }: PlannedTurn): StoredTurn {
  if (skip !== undefined) return { status: 'skipped', reason: skip, episode: null };
  return { status: 'unchanged', episode: existing };
}
