/** One leader per database: whoever holds an advisory lock, which the server takes back when its session ends. */

import type { Campaign, Leadership } from '../../ports/leadership.ts';
import { SeatCampaign, type Seat } from '../sql/seat-campaign.ts';
import type { PostgresConnection, PostgresDriver } from './postgres-driver.ts';

/** Of all locks of applications in this database; the ASCII codes of "lamina". */
const LOCK = 0x6c616d696e61;

const TRY_LOCK = `SELECT pg_try_advisory_lock(${LOCK}) AS "isMine"`;
const UNLOCK = `SELECT pg_advisory_unlock(${LOCK})`;

/** How often a leader makes sure that its session is alive, and how long it waits for the answer. */
const CHECK_MS = 1000;
const MAX_ANSWER_MS = 5000;

export class PostgresLeadership implements Leadership {
  readonly #driver: PostgresDriver;
  readonly #campaigns = new Set<Campaign>();

  constructor(driver: PostgresDriver) {
    this.#driver = driver;
  }

  campaign(lead: (signal: AbortSignal) => Promise<void>): Campaign {
    const campaign = new SeatCampaign(new PostgresSeat(this.#driver), lead);
    this.#campaigns.add(campaign);
    return campaign;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#campaigns].map((campaign) => campaign.stop()));
  }
}

/** On a session of its own, which is kept from attempt to attempt. */
class PostgresSeat implements Seat {
  readonly #driver: PostgresDriver;
  #session: PostgresConnection | undefined;
  #lost: () => void = () => {};

  constructor(driver: PostgresDriver) {
    this.#driver = driver;
  }

  async take(lost: () => void): Promise<(() => Promise<void>) | null> {
    this.#lost = lost;
    const session = (this.#session ??= await this.#driver.dedicate(() => this.#forget()));
    try {
      const { rows } = await answered(session.query<{ isMine: boolean }>(TRY_LOCK));
      if (rows[0]?.isMine !== true) return null;
    } catch (error) {
      this.#forget();
      throw error;
    }
    const check = setInterval(() => {
      answered(session.query('SELECT 1')).catch(() => this.#forget());
    }, CHECK_MS).unref();
    return async () => {
      clearInterval(check);
      if (this.#session === session) await answered(session.query(UNLOCK)).catch(() => this.#forget());
    };
  }

  dispose(): void {
    this.#lost = () => {};
    this.#forget();
  }

  #forget(): void {
    const session = this.#session;
    this.#session = undefined;
    session?.release(true);
    this.#lost();
  }
}

/** A connection may be dead without anybody having said so. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The session of the leader does not answer.')), MAX_ANSWER_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
