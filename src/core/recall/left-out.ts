/** What a search looked at and did not answer with, and why. */

import type { Entry } from '../../domain/entry.ts';
import { isWithin, type Sensitivity } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { LeftOut, LeftOutReason } from '../../domain/recall.ts';
import type { Entries } from '../../ports/entry-store.ts';
import { labelOf } from '../inspection/label.ts';
import type { Found } from './found.ts';
import type { Overridden } from './merge.ts';

/** How many are told, and how many of the best are looked at for them: some may be too sensitive. */
const MAX_TOLD = 20;
const MAX_LOOKED_AT = 3 * MAX_TOLD;

/** The steps of a search, each with what was left after it. */
interface Stages {
  readonly judged: readonly Found[];
  readonly near: readonly Found[];
  readonly passed: readonly Found[];
  readonly open: readonly Found[];
  readonly overridden: readonly Overridden<Found>[];
  readonly top: readonly Found[];
}

interface Reasoned {
  readonly candidate: Found;
  readonly reason: LeftOutReason;
  readonly duplicateOf?: string;
}

/** Whatever is told lies in the reach that was searched. */
export async function leftOutOf(
  entries: Entries,
  principal: Principal,
  stages: Stages,
  maxSensitivity: Sensitivity | undefined,
): Promise<LeftOut> {
  const { judged, near, passed, open, overridden, top } = stages;
  const best = reasonsIn(stages)
    .toSorted((a, b) => b.candidate.score - a.candidate.score || (a.candidate.id < b.candidate.id ? -1 : 1))
    .slice(0, MAX_LOOKED_AT);
  const found = await entries.find(
    principal,
    best.map(({ candidate }) => candidate.id),
  );
  const present = new Map(found.map((entry) => [entry.id, entry]));
  return {
    counts: {
      threshold: judged.length - near.length,
      decay: near.length - passed.length,
      sensitivity: passed.length - open.length,
      // It was not looked at: see search.
      trust: 0,
      duplicate: overridden.length,
      limit: open.length - overridden.length - top.length,
    },
    memories: best.flatMap((one) => told(one, present.get(one.candidate.id), maxSensitivity)).slice(0, MAX_TOLD),
  };
}

function reasonsIn({ judged, near, passed, open, overridden, top }: Stages): Reasoned[] {
  const without = (all: readonly Found[], kept: readonly Found[], reason: LeftOutReason): Reasoned[] => {
    const ids = new Set(kept.map(({ id }) => id));
    return all.filter(({ id }) => !ids.has(id)).map((candidate) => ({ candidate, reason }));
  };
  const duplicates = overridden.map(({ result, by }): Reasoned => ({
    candidate: result,
    reason: 'duplicate',
    duplicateOf: by.id,
  }));
  const settled = [...top, ...overridden.map(({ result }) => result)];
  return [
    ...without(judged, near, 'threshold'),
    ...without(near, passed, 'decay'),
    ...duplicates,
    ...without(open, settled, 'limit'),
  ];
}

/** As it stood at the moment that was asked about; what is too sensitive now, or was then, is not told. */
function told(
  { candidate, reason, duplicateOf }: Reasoned,
  entry: Entry | undefined,
  maxSensitivity: Sensitivity | undefined,
): LeftOut['memories'] {
  if (entry === undefined) return [];
  const former = candidate.past?.former ?? entry;
  const isOpen = (sensitivity: Sensitivity): boolean =>
    maxSensitivity === undefined || isWithin(sensitivity, maxSensitivity);
  if (!isOpen(entry.sensitivity) || !isOpen(former.sensitivity)) return [];
  const { id, layer, score } = candidate;
  const { kind, content } = former;
  return [{ id, layer, kind, label: labelOf(content), score, reason, ...(duplicateOf && { duplicateOf }) }];
}
