/** Remembering a conversation: its turns are stored first, and then a language model looks for what is worth knowing. */

import { invalidField } from '../../domain/error.ts';
import type { RememberedTurn, RememberInput, RememberOutput } from '../../domain/extraction.ts';
import { DEFAULT_AGENT, type Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { extract } from './extract.ts';
import { placesOf } from './known.ts';
import { saidIn, type Said } from './said.ts';
import { storeTurns, type StoredTurn } from './store-turns.ts';

/**
 * Turns are durable when it resolves, whatever became of the rest; a bad input stores nothing. Sent again it stores nothing
 * twice, and makes up for what could not be extracted before.
 */
export async function remember(
  dependencies: Dependencies,
  principal: Principal,
  given: RememberInput,
): Promise<RememberOutput> {
  const input = placed(principal, given);
  const { dryRun = false } = input;
  const messages = saidIn(input.messages, dependencies.limits);
  const places = placesOf(principal, input);
  const turns = await storeTurns(dependencies, principal, messages, input);
  const episodes = turns.flatMap(({ episode }) => episode ?? []);
  const extracted = await extract(dependencies, principal, places, episodes, input);
  const output = {
    dryRun,
    turns: turns.map((turn, index) => told(turn, messages[index])),
    ...extracted,
  };
  return dryRun ? rehearsed(output) : output;
}

/**
 * Who names the agent or the session among the identifiers means the same. Without any agent the turns are of the default one,
 * where turn context and `episodic.recent` find them without naming it. Throws `VALIDATION_FAILED` for another one.
 */
function placed(principal: Principal, input: RememberInput): RememberInput {
  const { identifiers = {} } = input;
  const own = { agentId: input.agentId, sessionId: input.sessionId, userId: principal.userId };
  for (const name of ['agentId', 'sessionId', 'userId'] as const) {
    const isOther = identifiers[name] !== undefined && own[name] !== undefined && identifiers[name] !== own[name];
    if (!isOther) continue;
    const problem =
      name === 'userId' ? 'is not yours; a conversation is remembered for who sends it' : `is not ${name}`;
    throw invalidField(`identifiers.${name}`, problem);
  }
  const { sessionId = identifiers.sessionId } = input;
  const agentId = input.agentId ?? identifiers.agentId ?? principal.agentId ?? DEFAULT_AGENT;
  return { ...input, agentId, sessionId };
}

function told({ status, reason, episode }: StoredTurn, said: Said | undefined): RememberedTurn {
  const { leftOut = [], cut = 0, skip } = said ?? {};
  return {
    status,
    ...(episode !== null && { id: episode.id }),
    ...(episode?.turn !== undefined && { turn: episode.turn }),
    ...(reason !== undefined && { reason }),
    ...(episode?.status === 'quarantined' && { quarantined: true }),
    ...(leftOut.length > 0 && { leftOut: [...leftOut] }),
    ...(cut > 0 && skip === undefined && { cut }),
  };
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
