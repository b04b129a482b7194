/** One leader per database: whoever holds an advisory lock, which the server takes back when its session ends. */

import { inTime } from '../../domain/in-time.ts';
import type { Campaign, Leadership } from '../../ports/leadership.ts';
import { SeatCampaign, type Seat } from '../sql/seat-campaign.ts';
import type { PostgresConnection, PostgresDriver } from './postgres-driver.ts';

/** Of all locks of applications in this database; the ASCII codes of "lamina". */
export const LEADER_LOCK = 0x6c616d696e61;

const TRY_LOCK = `SELECT pg_try_advisory_lock(${LEADER_LOCK}) AS "isMine"`;
const UNLOCK = `SELECT pg_advisory_unlock(${LEADER_LOCK})`;

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
    const session = (this.#session ??= await this.#dedicate());
    try {
      const { rows } = await answered(session.query<{ isMine: boolean }>(TRY_LOCK));
      if (rows[0]?.isMine !== true) return null;
    } catch (error) {
      this.#forget(session);
      throw error;
    }
    const check = setInterval(() => {
      answered(session.query('SELECT 1')).catch(() => this.#forget(session));
    }, CHECK_MS).unref();
    return async () => {
      clearInterval(check);
      if (this.#session === session) await answered(session.query(UNLOCK)).catch(() => this.#forget(session));
    };
  }

  dispose(): void {
    this.#lost = () => {};
    this.#forget(this.#session);
  }

  async #dedicate(): Promise<PostgresConnection> {
    // It may be lost before it is there.
    let session: PostgresConnection | undefined;
    session = await this.#driver.dedicate(() => this.#forget(session));
    return session;
  }

  /** What is told late of a session that was given up long ago does not concern the one that followed it. */
  #forget(session: PostgresConnection | undefined): void {
    if (session === undefined || session !== this.#session) return;
    this.#session = undefined;
    session.release(true);
    this.#lost();
  }
}

/** A connection may be dead without anybody having said so. */
function answered<T>(answer: Promise<T>): Promise<T> {
  return inTime(answer, MAX_ANSWER_MS, () => new Error('The session of the leader does not answer.'));
}
