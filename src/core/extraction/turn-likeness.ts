/** How much tells that a message is a turn of a conversation: its name, when it was said, or only its words. Pure. */

import type { Role } from '../../domain/kind.ts';
import { markOf } from './turn-name.ts';

export interface Line {
  readonly role: Role | undefined;
  readonly contentHash: string;
  /** The one that the message brought along. */
  readonly name?: string | undefined;
  /** Milliseconds, where it is known. */
  readonly occurredAt?: number | undefined;
}

export interface Turn extends Line {
  /** Its place in the conversation, from 1. */
  readonly turn: number;
  /** Whether it may well come again with nothing new: its answer may have been lost, or a language model failed to read it. */
  readonly isExpectedAgain?: boolean | undefined;
}

/** A turn that was deleted, and what is left of it. */
export interface Forgotten {
  readonly turn: number;
  readonly mark: string;
}

/** The name is the same, or the moment and the words. */
export const SURE = 2;
const WORDS = 1;
/** A message with a name, in words of a turn that has none: only what stands around them can tell. */
const WORDS_OF_NAMELESS = 0;

/** Undefined where they differ. */
export function likenessOf(line: Line, turn: Turn | Forgotten): number | undefined {
  const isNamed = line.name !== undefined;
  const words = isNamed ? WORDS_OF_NAMELESS : WORDS;
  if ('mark' in turn) {
    if (isNamed && line.name === turn.mark) return SURE;
    return markOf(line, undefined) === turn.mark ? words : undefined;
  }
  if (isNamed && turn.name !== undefined) return line.name === turn.name ? SURE : undefined;
  if (line.role !== turn.role || line.contentHash !== turn.contentHash) return undefined;
  // Of two times both have to be known to tell them apart.
  if (line.occurredAt === undefined || turn.occurredAt === undefined) return words;
  if (line.occurredAt !== turn.occurredAt) return undefined;
  return isNamed ? words : SURE;
}
