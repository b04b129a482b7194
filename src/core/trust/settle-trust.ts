/** What a write does to the trust of a memory, and whether it must wait for review. Pure. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Trust } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import { isHeldWhole, type Quarantine } from '../../domain/quarantine.ts';
import type { Suspicion } from '../../domain/suspicion.ts';
import { isStranger, leastTrust, trustOf, type Origin } from '../../domain/trust.ts';
import { suspicionsIn } from './suspicions.ts';

/** What is written, as far as trust goes. */
export interface Written extends Origin {
  /** The lowest trust of its sources, if Lamina made it: then nothing else counts. */
  readonly made?: Trust | undefined;
}

/**
 * The entry as it may be stored. A stranger's text never replaces what the user or the agent said: that throws
 * `LESS_TRUSTED`; if a stranger repeats it, the known entry stays as it is. New text lowers the trust to its own. Nothing
 * here raises it.
 */
export function settleTrust(
  quarantine: Quarantine,
  principal: Principal,
  { made, ...origin }: Written,
  next: Entry,
  previous: Entry | null,
): Entry {
  if (next === previous) return next;
  if (previous === null) {
    const trust = made ?? trustOf(principal, { ...origin, isTurn: next.kind === 'episodic' });
    return held(quarantine, next.trust === trust ? next : { ...next, trust });
  }
  if (isSameText(next, previous)) {
    const trust = leastTrust(previous.trust, origin.trust);
    const isForeign = isStranger(made ?? trustOf(principal, { ...origin, trust: undefined }));
    if (isForeign && !isStranger(previous.trust)) return previous;
    return saidIn(next) === saidIn(previous) ? { ...next, trust } : held(quarantine, { ...next, trust });
  }
  const written = made ?? trustOf(principal, origin);
  if (!mayRevise(previous.trust, written)) throw lessTrusted(previous.id, previous.trust, written);
  return held(quarantine, { ...next, trust: leastTrust(previous.trust, written) });
}

/** Whether text of the one trust may take the place of text of the other. */
export function mayRevise(known: Trust, written: Trust): boolean {
  return isStranger(known) || !isStranger(written);
}

function isSameText(one: Entry, other: Entry): boolean {
  return one.contentHash === other.contentHash && one.triggerCondition === other.triggerCondition;
}

export function lessTrusted(id: string, trust: Trust, written: Trust): LaminaError {
  return new LaminaError(
    'LESS_TRUSTED',
    `What comes from ${written} cannot change a memory that is trusted as ${trust}. Add it as a memory of its own.`,
    { details: { id, trust, written } },
  );
}

/** All of it that a model may get to read. */
function saidIn({ content, triggerCondition = '', speaker = '', tags, metadata }: Entry): string {
  return [content, triggerCondition, speaker, ...tags, ...textsIn(metadata)].filter((text) => text !== '').join('\n');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

/** What is in quarantine stays there: only a review releases it. */
function held(quarantine: Quarantine, entry: Entry): Entry {
  const reasons = reasonsFor(quarantine, entry);
  if (reasons.length === 0) return entry;
  return { ...entry, status: 'quarantined', provenance: { ...entry.provenance, quarantined: reasons } };
}

function reasonsFor(quarantine: Quarantine, entry: Entry): Suspicion[] {
  if (quarantine === 'off' || !isStranger(entry.trust)) return [];
  const suspicions = suspicionsIn(saidIn(entry));
  return suspicions.length === 0 && isHeldWhole(quarantine, entry.trust) ? ['unreviewed'] : suspicions;
}
