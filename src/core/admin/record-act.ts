/** Records an administrative act in the audit log of the tenant. */

import type { AuditAction, AuditEntry } from '../../domain/audit.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { hashOfId, pseudonymOf } from './receipt.ts';

type Needs = Pick<Dependencies, 'audit' | 'clock' | 'ids'>;

type About = Omit<AuditEntry, 'id' | 'action' | 'actor' | 'at' | 'receipt' | 'sequence' | 'previous' | 'hash'>;

/**
 * Durable once it resolves. Call it before the act if that is not in the same transaction: a logged act that was never done
 * is better than one that nobody knows of.
 */
export async function recordAct(
  { audit, clock, ids }: Needs,
  principal: Principal,
  action: AuditAction,
  about: About = {},
): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  await audit.record(principal, { id: ids.next(), action, actor: principal.userId, at, ...byHolder(principal, about) });
}

const HOUR_MS = 3_600_000;

/** Once an hour per actor, for acts that take many calls: an entry for each call would add nothing. */
export async function recordHourly(
  { audit, clock }: Omit<Needs, 'ids'>,
  principal: Principal,
  action: AuditAction,
  about: About = {},
): Promise<void> {
  const { tenantId, userId: actor } = principal;
  const now = clock.now();
  const hour = hourOf(now);
  const said = byHolder(principal, about);
  const id = idOfHour(hour, [tenantId, actor, action, ...Object.values(said.about ?? {}).map(String)]);
  await audit.record(principal, { id, action, actor, at: new Date(now).toISOString(), ...said });
}

/** With whoever acted for the actor, as a pseudonym: nobody is named in what an act is about. */
function byHolder({ userId, holder }: Principal, about: About): About {
  if (holder === undefined || holder.userId === userId) return about;
  return { ...about, about: { ...about.about, by: pseudonymOf(holder.userId) } };
}

/** The time at which the hour began. */
export function hourOf(now: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS;
}

/** A UUIDv7 that is the same for the same hour and names. */
function idOfHour(hour: number, names: readonly string[]): string {
  const digits = hashOfId(JSON.stringify([hour, ...names]));
  const time = hour.toString(16).padStart(12, '0');
  const groups = [time.slice(0, 8), time.slice(8), `7${digits.slice(0, 3)}`, `8${digits.slice(3, 6)}`];
  return [...groups, digits.slice(6, 18)].join('-');
}
