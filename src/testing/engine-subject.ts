/** What the engine contract is run against, and how each of its tests gets a fresh one. */

import type { Principal } from '../domain/principal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

/** An engine on an empty store. */
export interface EngineSubject {
  readonly engine: Engine;
  /** Closes the engine and opens another one on the same store, with the same clock. */
  reopen(): Promise<Engine>;
  /**
   * Closes the engine and looks for traces in what it left on disk, byte by byte; answers with those that it found.
   * Left out where there is no way to look.
   */
  residue?(traces: readonly Uint8Array[]): Promise<Uint8Array[]>;
  /** How many values of the tenant take room. Default: as the engine's erasure counts them. */
  countState?(principal: Principal): Promise<number>;
  /** Closes whatever is open and removes the store. */
  close(): Promise<void>;
}

export type OpenEngine = (clock: Clock) => Promise<EngineSubject>;

/** Declares a test that gets an engine of its own, and the clock that it goes by. */
export type EngineTest = (name: string, body: (subject: EngineSubject, clock: ManualClock) => Promise<void>) => void;

export function engineTest({ it }: TestRunner, open: OpenEngine): EngineTest {
  return (name, body) => {
    it(name, async () => {
      const clock = new ManualClock();
      const subject = await open(clock);
      try {
        await body(subject, clock);
      } finally {
        await subject.close();
      }
    });
  };
}

/** See {@link EngineSubject.countState}. */
export async function stateCount({ engine, countState }: EngineSubject, principal: Principal): Promise<number> {
  return countState ? countState(principal) : (await engine.erasure.countTenant(principal)).state;
}

export const TENANT: Principal = { tenantId: '00000000-0000-0000-0000-00000000000a', userId: 'u' };
export const OTHER_TENANT: Principal = { tenantId: '00000000-0000-0000-0000-00000000000b', userId: 'u' };

/** A user of the first tenant. Who reads and writes here may do so: what becomes of others is the core's business. */
export function userOf(userId: string): Principal {
  return { ...TENANT, userId };
}
