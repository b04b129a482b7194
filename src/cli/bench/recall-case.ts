/** What recall is measured on, whatever it was read from: what is remembered, and what is asked about it. */

/** Something that was said. Its id is what questions name as evidence. */
export interface RecallTurn {
  readonly id: string;
  readonly session: string;
  /** Its place in the session, from 0. */
  readonly turn: number;
  /** Milliseconds. */
  readonly at: number;
  readonly role: 'user' | 'assistant';
  /** By name, where the data set has names. */
  readonly speaker?: string;
  readonly text: string;
}

export interface RecallQuestion {
  readonly id: string;
  readonly text: string;
  readonly category: string;
  /** False where the conversation does not hold the answer, though it may hold something that looks like it. */
  readonly isAnswerable: boolean;
  /** The turns that should be found; none where the data set does not name any. */
  readonly evidence: readonly string[];
  /** The sessions that should be found. */
  readonly sessions: readonly string[];
  /** Milliseconds. Default: a day after the last turn. */
  readonly askedAt?: number;
}

/** A conversation over many sessions, and the questions about it. */
export interface RecallCase {
  /** Unique in its data set. */
  readonly name: string;
  readonly turns: readonly RecallTurn[];
  readonly questions: readonly RecallQuestion[];
}
