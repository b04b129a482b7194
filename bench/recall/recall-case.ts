/** What recall is measured on, whatever it was read from: what is remembered, and what is asked about it. */

import type { OperationInput } from '../../src/operations/table.ts';

/** Something that was said. Its id is what questions name as evidence. */
export interface RecallTurn {
  readonly id: string;
  readonly session: string;
  readonly turn: number;
  /** Milliseconds. */
  readonly at: number;
  readonly speaker: string;
  readonly text: string;
}

export interface RecallQuestion {
  readonly text: string;
  readonly category: string;
  /** The turns that answer it; none where it cannot be answered. */
  readonly evidence: readonly string[];
}

/** A conversation over many sessions. */
export interface RecallCase {
  readonly name: string;
  readonly turns: readonly RecallTurn[];
  readonly questions: readonly RecallQuestion[];
}

/** As a user of the library would log it. */
export function logInput({ session, turn, at, speaker, text, id }: RecallTurn): OperationInput<'episodic.log'> {
  return {
    role: 'user',
    speaker,
    content: text,
    sessionId: session,
    turn,
    occurredAt: new Date(at).toISOString(),
    metadata: { evidence: id },
  };
}
