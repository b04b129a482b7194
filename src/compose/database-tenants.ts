/** The tenants of a database, for whoever holds it. */

import type { Tallies } from '../domain/archive.ts';
import type { Configuration } from './configuration.ts';
import { openEngine } from './engines.ts';
import { systemClock } from './system.ts';

export interface DatabaseTenants {
  /** The ids, in pages. */
  pages(): AsyncGenerator<readonly string[], void>;
  tallies(tenantId: string): Promise<Tallies>;
  close(): Promise<void>;
}

const PAGE_SIZE = 500;

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`. */
export async function databaseTenants(configuration: Configuration): Promise<DatabaseTenants> {
  const engine = await openEngine(configuration);
  const { archive } = engine;
  return {
    async *pages() {
      let page = await archive.tenants(PAGE_SIZE);
      while (page.length > 0) {
        yield page;
        page = await archive.tenants(PAGE_SIZE, page.at(-1));
      }
    },
    tallies: (tenantId) => archive.tallies(tenantId, systemClock.now()),
    close: () => engine.close(),
  };
}
