/** A part of what is gathered for a turn, which may be missing without the rest. */

import { asLaminaError, isOutage } from '../../domain/error.ts';
import { inTime } from '../../domain/in-time.ts';
import type { Layer } from '../../domain/scope.ts';
import type { TurnCandidate } from './candidate.ts';

export interface Part {
  /** The most relevant first, by section. */
  readonly candidates: readonly TurnCandidate[];
  /** What was found and is less trusted than what may go. */
  readonly distrusted: readonly TurnCandidate[];
  /** Keys of working memory that were named and are not there. */
  readonly absent: readonly string[];
  /** How many would have answered, but came after the limit. */
  readonly beyondLimit: number;
  readonly layers: readonly Layer[];
  readonly warnings: readonly string[];
  readonly isDegraded: boolean;
}

export const NOTHING: Part = {
  candidates: [],
  distrusted: [],
  absent: [],
  beyondLimit: 0,
  layers: [],
  warnings: [],
  isDegraded: false,
};

/** Somebody waits for the turn. */
const PATIENCE_MS = 8000;

/** The part, or nothing and a warning if it was not available in time. Throws errors about the input itself. */
export async function partOf(what: string, read: () => Promise<Part>): Promise<Part> {
  try {
    return await inTime(read(), PATIENCE_MS);
  } catch (thrown) {
    const error = asLaminaError(thrown);
    // Too many agents to read at once is nothing that whoever asks for a turn got wrong.
    if (!isOutage(error) && error.details?.['maxAgents'] === undefined) throw error;
    return { ...NOTHING, warnings: [`${what} could not be read. ${error.message}`], isDegraded: true };
  }
}
