/** What a search gives for a turn: as many as were asked for of what can stand in the prompt. */

import { isWithin, type Sensitivity, type Trust } from '../../domain/kind.ts';
import type { SearchResult } from '../../domain/recall.ts';
import { isAtLeast } from '../../domain/trust.ts';
import type { TurnCandidate } from './candidate.ts';
import { uncrowded } from './crowding.ts';
import { NOTHING, type Part } from './part.ts';
import { sameness } from './same-text.ts';

/** The most that a search gives. */
export const MAX_RESULTS = 100;

/** A search that took longer, because something in it was waited for in vain, is not made again: somebody waits. */
const MAX_FIRST_MS = 3000;

interface Asked {
  readonly limit: number;
  readonly maxSensitivity: Sensitivity;
  readonly minTrust: Trust;
  /** Milliseconds. */
  readonly at: number;
  /** What stands in the prompt already. */
  readonly known: readonly string[];
  readonly candidateOf: (result: SearchResult) => TurnCandidate;
}

export interface Answer {
  /** By score, the best first. */
  readonly results: readonly SearchResult[];
  readonly total: number;
  readonly warnings: readonly string[];
}

/** Asks memory; where a trust is given, for nothing that is less trusted. */
export type Ask = (limit: number, minTrust?: Trust) => Promise<Answer>;

/**
 * Results that are too sensitive, no longer hold or repeat an earlier one do not use up the limit: otherwise a question
 * that is asked every day would find itself. Where the first answer contains such results, the search is repeated once with
 * the maximum limit. Untrusted results do not use up the limit either, and strangers never fill all of it.
 */
export async function recalledPart(asked: Asked, ask: Ask): Promise<Part> {
  const { limit, minTrust, candidateOf } = asked;
  const began = performance.now();
  const first = await ask(limit);
  const distrusted = first.results.filter(({ memory }) => !isAtLeast(memory.trust, minTrust));
  const within = distrusted.length === 0 ? undefined : minTrust;
  const trusted = within === undefined ? first : await ask(limit, within);
  const isEnough =
    performance.now() - began > MAX_FIRST_MS ||
    placesOf(trusted.results, asked).length === trusted.results.length ||
    trusted.total <= trusted.results.length ||
    limit >= MAX_RESULTS;
  const further = isEnough ? trusted : await ask(MAX_RESULTS, within);
  const { results, total, warnings } = await uncrowded(further, limit, ask);
  const last = placesOf(results, asked)[limit - 1];
  const found = last === undefined ? results : results.slice(0, results.indexOf(last) + 1);
  return {
    ...NOTHING,
    candidates: found.map((result) => ({ ...candidateOf(result), isEnded: hasEnded(result, asked) })),
    distrusted: distrusted.map(candidateOf),
    beyondLimit: Math.max(0, total - found.length),
    warnings,
    // A search warns when it could only be done by words, or not everywhere.
    isDegraded: warnings.length > 0,
  };
}

/** Those that take one. */
function placesOf(results: readonly SearchResult[], asked: Asked): SearchResult[] {
  const { maxSensitivity, known } = asked;
  const said = new Set(known.map(sameness));
  return results.filter((result) => {
    const { content, sensitivity } = result.memory;
    const key = sameness(content);
    if (!isWithin(sensitivity, maxSensitivity) || hasEnded(result, asked) || said.has(key)) return false;
    said.add(key);
    return true;
  });
}

function hasEnded({ memory: { validTo } }: SearchResult, { at }: Asked): boolean {
  return validTo !== undefined && Date.parse(validTo) <= at;
}
