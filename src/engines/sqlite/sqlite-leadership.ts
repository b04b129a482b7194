/** One leader per folder: whoever holds the lock on `leader.db`, which the system takes back when its holder dies. */

import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Campaign, Leadership } from '../../ports/leadership.ts';
import { SeatCampaign, type Seat } from '../sql/seat-campaign.ts';
import { makePrivateFileOnce } from './private-file.ts';
import { isBusy } from './sqlite-error.ts';

export class SqliteLeadership implements Leadership {
  readonly #file: string;
  readonly #campaigns = new Set<Campaign>();

  /** Makes no file before somebody campaigns. */
  constructor(folder: string) {
    this.#file = join(resolve(folder), 'leader.db');
  }

  campaign(lead: (signal: AbortSignal) => Promise<void>): Campaign {
    const campaign = new SeatCampaign(new SqliteSeat(this.#file), lead);
    this.#campaigns.add(campaign);
    return campaign;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#campaigns].map((campaign) => campaign.stop()));
  }
}

/** A file of its own, because an exclusive transaction keeps everyone else out of it. Nothing is ever written to it. */
class SqliteSeat implements Seat {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async take(): Promise<(() => Promise<void>) | null> {
    makePrivateFileOnce(this.#file);
    const db = new Sqlite(this.#file, { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      if (isBusy(error)) return null;
      throw error;
    }
    return async () => void db.close();
  }

  dispose(): void {}
}
