/** Campaigns for a seat that only one process can have, and leads from it. */

import { pause } from '../../domain/pause.ts';
import type { Campaign } from '../../ports/leadership.ts';

/** A lock that the database or the system takes back when its holder dies. */
export interface Seat {
  /** How to leave it again; null when somebody else has it. `lost` is called when it is taken away. */
  take(lost: () => void): Promise<(() => Promise<void>) | null>;
  /** Lets go of whatever is kept between attempts. */
  dispose(): void;
}

/** How often to look whether the seat is free. */
const PAUSE_MS = 1000;

export class SeatCampaign implements Campaign {
  readonly #seat: Seat;
  readonly #lead: (signal: AbortSignal) => Promise<void>;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  /** Of the term that lasts; aborted, or none, while this process does not lead. */
  #term: AbortController | undefined;

  constructor(seat: Seat, lead: (signal: AbortSignal) => Promise<void>) {
    this.#seat = seat;
    this.#lead = lead;
    this.#ended = this.#run();
  }

  get isLeader(): boolean {
    return this.#term !== undefined && !this.#term.signal.aborted;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#term?.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#serve();
      await pause(PAUSE_MS, this.#stopping.signal);
    }
    this.#seat.dispose();
  }

  /** One term, if the seat is to be had. */
  async #serve(): Promise<void> {
    const term = new AbortController();
    // A database that cannot be reached gives nobody the seat, and may be back with the next attempt.
    const leave = await this.#seat.take(() => term.abort()).catch(() => null);
    if (leave === null) return;
    try {
      if (this.#stopping.signal.aborted) return;
      this.#term = term;
      await this.#lead(term.signal);
    } catch {
      // It is for the work itself to tell of its failures; here it only means that the term is over.
    } finally {
      this.#term = undefined;
      await leave().catch(() => {});
    }
  }
}
