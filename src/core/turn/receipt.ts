/** The receipt of a prompt: what was taken, what was left out, and why. Pure. */

import { TURN_SECTIONS, type Omission, type TurnLeftOut, type TurnReceipt } from '../../domain/turn.ts';
import type { TurnCandidate } from './candidate.ts';
import type { Omitted } from './pack.ts';
import type { TurnItem } from './turn-item.ts';

export interface Outcome {
  readonly taken: readonly TurnItem[];
  readonly leftOut: readonly Omitted[];
  readonly withheld: readonly TurnCandidate[];
  readonly absent: readonly string[];
  readonly beyondLimit: number;
}

export function receiptOf(outcome: Outcome): Pick<TurnReceipt, 'taken' | 'leftOut' | 'counts'> {
  const { taken, withheld, absent, beyondLimit } = outcome;
  // After the others of its section: where it stood between them would tell how well it answers.
  const leftOut = [...outcome.leftOut.map(omitted), ...absent.map(missing), ...withheld.map(unnamed)];
  const count = (reason: Omission): number => leftOut.filter((each) => each.reason === reason).length;
  return {
    taken: bySection(
      taken.map(({ section, name, tokens, isExcerpt }) => ({
        section,
        ...name,
        tokens,
        ...(isExcerpt && { isExcerpt }),
      })),
    ),
    leftOut: bySection(leftOut),
    counts: {
      taken: taken.length,
      budget: count('budget'),
      sensitivity: count('sensitivity'),
      trust: count('trust'),
      duplicate: count('duplicate'),
      source: count('source'),
      ended: count('ended'),
      absent: count('absent'),
      empty: count('empty'),
      limit: beyondLimit,
    },
  };
}

function bySection<T extends Pick<TurnLeftOut, 'section'>>(items: readonly T[]): T[] {
  return TURN_SECTIONS.flatMap((section) => items.filter((item) => item.section === section));
}

function omitted({ candidate: { section, name }, reason, tokens, sameAs }: Omitted): TurnLeftOut {
  return { section, ...name, reason, ...(tokens !== undefined && { tokens }), ...(sameAs !== undefined && { sameAs }) };
}

function missing(key: string): TurnLeftOut {
  return { section: 'working', key, reason: 'absent' };
}

/** Not even its id: a receipt may go where the memory may not. */
function unnamed({ section, sensitivity }: TurnCandidate): TurnLeftOut {
  return { section, reason: 'sensitivity', ...(sensitivity !== undefined && { sensitivity }) };
}
