/** What an operator did to the whole database: recorded in the log that outlives tenants. */

import { verifyChain } from '../core/admin/verify-chain.ts';
import type { AuditAction, AuditEntry, AuditVerification } from '../domain/audit.ts';
import type { LoggedEntry } from '../domain/audit-chain.ts';
import type { Engine } from '../ports/engine.ts';
import type { Configuration } from './configuration.ts';
import { openEngine } from './engines.ts';
import { systemClock, systemIds } from './system.ts';

/** An operator who runs commands on the database has no name there. */
const OPERATOR = 'operator';

const PAGE_SIZE = 500;

export function operatorEntry(action: AuditAction, about: NonNullable<AuditEntry['about']>): AuditEntry {
  const at = new Date(systemClock.now()).toISOString();
  return { id: systemIds.next(), action, actor: OPERATOR, at, about };
}

/** Opens the database for it. */
export function noteInDatabase(
  configuration: Configuration,
  action: AuditAction,
  all: readonly NonNullable<AuditEntry['about']>[],
): Promise<void> {
  return withEngine(configuration, async ({ audit }) => {
    for (const about of all) await audit.recordBeyond(operatorEntry(action, about));
  });
}

/** Of the log that outlives tenants. */
export function verifySystemAudit(configuration: Configuration, head?: string): Promise<AuditVerification> {
  return withEngine(configuration, ({ audit }) => verifyChain((limit, after) => audit.chainBeyond(limit, after), head));
}

/** All of the log that outlives tenants, oldest first. */
export function systemAudit(configuration: Configuration): Promise<LoggedEntry[]> {
  return withEngine(configuration, async ({ audit }) => {
    const all: LoggedEntry[] = [];
    for (;;) {
      const last = all.at(-1)?.entry;
      const page = await audit.chainBeyond(PAGE_SIZE, { sequence: last?.sequence ?? 0, id: last?.id ?? '' });
      if (page.length === 0) return all;
      all.push(...page);
    }
  });
}

async function withEngine<T>(configuration: Configuration, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(configuration);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
