/** What a search gives for a turn: as many as were asked for of what can stand in the prompt. */

import type { Sensitivity } from '../../domain/kind.ts';
import type { SearchResult } from '../../domain/recall.ts';
import type { TurnCandidate } from './candidate.ts';
import { NOTHING, type Part } from './part.ts';
import { sameness } from './same-text.ts';
import { isWithin } from './sensitivity.ts';

/** The most that a search gives. */
export const MAX_RESULTS = 100;

/** A search that took longer, because something in it was waited for in vain, is not made again: somebody waits. */
const MAX_FIRST_MS = 3000;

interface Asked {
  readonly limit: number;
  readonly maxSensitivity: Sensitivity;
  /** What stands in the prompt already. */
  readonly known: readonly string[];
  readonly candidateOf: (result: SearchResult) => TurnCandidate;
}

interface Answer {
  readonly results: readonly SearchResult[];
  readonly total: number;
  readonly warnings: readonly string[];
}

/**
 * What is too sensitive takes nobody's place, nor does what says the same as something before it: a question that is asked
 * every day would find itself. Where there is such a thing, it is looked further, and then again no further.
 */
export async function recalledPart(asked: Asked, ask: (limit: number) => Promise<Answer>): Promise<Part> {
  const { limit, candidateOf } = asked;
  const began = performance.now();
  const first = await ask(limit);
  const isEnough =
    performance.now() - began > MAX_FIRST_MS ||
    placesOf(first.results, asked).length === first.results.length ||
    first.total <= first.results.length ||
    limit >= MAX_RESULTS;
  const { results, total, warnings } = isEnough ? first : await ask(MAX_RESULTS);
  const last = placesOf(results, asked)[limit - 1];
  const found = last === undefined ? results : results.slice(0, results.indexOf(last) + 1);
  return {
    ...NOTHING,
    candidates: found.map(candidateOf),
    beyondLimit: Math.max(0, total - found.length),
    warnings,
    // A search warns when it could only be done by words, or not everywhere.
    isDegraded: warnings.length > 0,
  };
}

/** Those that take one. */
function placesOf(results: readonly SearchResult[], { maxSensitivity, known }: Asked): SearchResult[] {
  const said = new Set(known.map(sameness));
  return results.filter(({ memory }) => {
    const key = sameness(memory.content);
    if (!isWithin(memory.sensitivity, maxSensitivity) || said.has(key)) return false;
    said.add(key);
    return true;
  });
}
