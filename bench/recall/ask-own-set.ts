/** Remembering the data set of our own and asking its questions, each kind of memory by itself and all together. */

import type { Memory } from '../../src/operations/memory.ts';
import type { OperationInput } from '../../src/operations/table.ts';
import {
  CHAT,
  CHAT_QUESTIONS,
  DOCUMENT_QUESTIONS,
  DOCUMENTS,
  GROUP,
  GROUP_QUESTIONS,
  NOTE_QUESTIONS,
  NOTES,
  PEOPLE,
} from './own-set.ts';

/** A part of the set, and how much of what answers its questions is among the first so many results; means over questions. */
export interface OwnFigures {
  readonly part: string;
  readonly questions: number;
  readonly first: number;
  readonly five: number;
  readonly ten: number;
}

const PARTS = [
  ['notes', NOTE_QUESTIONS],
  ['documents', DOCUMENT_QUESTIONS],
  ['group', GROUP_QUESTIONS],
  ['chat', CHAT_QUESTIONS],
] as const;

const TEAM = { teamId: 'platform' };

/** The principal has an agent, and may write to the team. */
export async function rememberOwnSet(memory: Memory): Promise<void> {
  const noted = [...NOTES, ...PEOPLE].map(([id, content]) => ({ content, layer: 'user', externalId: id }) as const);
  const documents = DOCUMENTS.map(
    ([id, content]) => ({ content, layer: 'team', identifiers: TEAM, externalId: id }) as const,
  );
  await memory.addMany([...noted, ...documents]);
  for (const log of [...groupLogs(), ...chatLogs()]) await memory.episodic.log(log);
}

function groupLogs(): OperationInput<'episodic.log'>[] {
  return GROUP.flatMap(({ day, turns }, session) =>
    turns.map(([id, speaker, content], turn) => ({
      role: 'user' as const,
      speaker,
      content,
      sessionId: `group-${session}`,
      turn,
      occurredAt: `${day}T18:${String(turn).padStart(2, '0')}:00Z`,
      metadata: { id },
    })),
  );
}

function chatLogs(): OperationInput<'episodic.log'>[] {
  return CHAT.map(([id, role, content], turn) => ({
    role,
    content,
    sessionId: 'chat',
    turn,
    occurredAt: `2025-08-01T09:${String(turn).padStart(2, '0')}:00Z`,
    metadata: { id },
  }));
}

/** Everything is asked over all layers and kinds at once, as it stands there; without a threshold unless one is given. */
export async function askOwnSet(memory: Memory, userId: string, threshold = 0): Promise<OwnFigures[]> {
  const figures: OwnFigures[] = [];
  for (const [part, questions] of PARTS) {
    const found = { first: 0, five: 0, ten: 0 };
    for (const [query, ...answers] of questions) {
      const { results } = await memory.search({
        query,
        limit: 10,
        threshold,
        rank: 'relevance',
        identifiers: { userId, agentId: 'bench', ...TEAM },
      });
      const ids = results.map(({ memory: { externalId, metadata } }) => externalId ?? metadata['id']);
      const share = (cut: number): number =>
        ids.slice(0, cut).filter((id) => answers.includes(String(id))).length / answers.length;
      found.first += share(1);
      found.five += share(5);
      found.ten += share(10);
    }
    const count = questions.length;
    figures.push({
      part,
      questions: count,
      first: found.first / count,
      five: found.five / count,
      ten: found.ten / count,
    });
  }
  return figures;
}
