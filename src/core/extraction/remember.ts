/** Remembering a conversation: its turns are stored first, and then a language model looks for what is worth knowing. */

import type { RememberInput, RememberOutput } from '../../domain/extraction.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { extract } from './extract.ts';
import { placesOf } from './known.ts';
import { saidIn } from './said.ts';
import { storeTurns } from './store-turns.ts';

/**
 * Turns are durable when it resolves, whatever became of the rest; a bad input stores nothing. Sent again it stores nothing
 * twice, and makes up for what could not be extracted before.
 */
export async function remember(
  dependencies: Dependencies,
  principal: Principal,
  input: RememberInput,
): Promise<RememberOutput> {
  const { dryRun = false } = input;
  const messages = saidIn(input.messages, dependencies.limits);
  const places = placesOf(principal, input);
  const turns = await storeTurns(dependencies, principal, messages, input);
  const episodes = turns.flatMap(({ episode }) => episode ?? []);
  const extracted = await extract(dependencies, principal, places, episodes, input);
  const output = {
    dryRun,
    turns: turns.map(({ status, reason, episode }) => ({
      status,
      ...(episode !== null && { id: episode.id }),
      ...(episode?.turn !== undefined && { turn: episode.turn }),
      ...(reason !== undefined && { reason }),
    })),
    ...extracted,
  };
  return dryRun ? rehearsed(output) : output;
}

/** What is only foreseen has no id yet. */
function rehearsed({ turns, memories, facts, closed, ...output }: RememberOutput): RememberOutput {
  const made = new Set(turns.flatMap(({ status, id }) => (status === 'created' ? (id ?? []) : [])));
  const known = <Item extends { episodeId?: string | undefined }>({ episodeId, ...item }: Item) => ({
    ...item,
    ...(episodeId !== undefined && !made.has(episodeId) && { episodeId }),
  });
  return {
    ...output,
    turns: turns.map(({ id, ...turn }) => ({ ...turn, ...(turn.status !== 'created' && id !== undefined && { id }) })),
    memories: memories.map(({ id, ...memory }) => known({ ...memory, ...(memory.status !== 'created' && { id }) })),
    facts: facts.map(({ factId, ...fact }) => known({ ...fact, ...(fact.status !== 'created' && { factId }) })),
    closed: closed.map(known),
  };
}
