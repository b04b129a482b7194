/**
 * Who may begin, and when. Requests that have arrived together are begun together, as many as take little time. All of them at once would make
 * everything else (timers, heartbeats, health) wait for that long; those that do not fit wait for the next turn of the event loop. Of those who wait the
 * tenant comes first for which nothing was begun for the longest time, and where several tenants ask, none may have more than a few
 * under way: so who asks little hardly notices who asks much.
 */

import { LaminaError } from '../domain/error.ts';
import { DEFAULT_SERVICE_LIMITS, type ServiceLimits } from './service-limits.ts';
import { SliceSize } from './slice-size.ts';

/** Milliseconds of a turn after which nothing new is begun. */
const TURN_MS = 5;

/** The same while several tenants ask: less has to be waited for. */
const SHARED_TURN_MS = 1;

/** How long a tenant is counted as asking after it last did. */
const PRESENT_MS = 1000;

/** What takes longer than this, such as maintenance, is not what others wait for: it holds none of the few places of its tenant. */
const LONG_MS = 5000;

/** Immediates at once; see `#later`. */
const MAX_ASKED = 8;

/** How often it is looked whether somebody has waited for too long. */
const PATROL_MS = 100;

type AdmissionLimits = Pick<ServiceLimits, 'inFlight' | 'tenantInFlight' | 'sharedInFlight' | 'queueMs'>;

/** What somebody was admitted with. */
export interface Place {
  readonly queue: Queue;
  readonly since: number;
}

interface Waiter {
  readonly since: number;
  begin(place: Place): void;
  refuse(error: LaminaError): void;
}

interface Queue {
  readonly waiting: Waiter[];
  /** The oldest first. */
  readonly underWay: Set<Place>;
  lastSeen: number;
  lastBegun: number;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #longMs: number;
  readonly #slice: SliceSize;
  readonly #queues = new Map<string, Queue>();
  /** Those in which somebody waits. */
  readonly #ready = new Set<Queue>();
  /** When the turn began; undefined before the first request of a turn. */
  #began: number | undefined;
  #inFlight = 0;
  #waiting = 0;
  /** Immediates that were asked for to go on with those who wait. */
  #asked = 0;
  #sweptAt = 0;
  #patrol: NodeJS.Timeout | undefined;

  constructor(
    limits: AdmissionLimits = DEFAULT_SERVICE_LIMITS,
    { longMs = LONG_MS, slice = new SliceSize() }: { readonly longMs?: number; readonly slice?: SliceSize } = {},
  ) {
    this.#limits = limits;
    this.#longMs = longMs;
    this.#slice = slice;
  }

  /**
   * A place to begin; of one tenant in the order of the calls. Rejects with `UNAVAILABLE` when there is none for too
   * long. Whoever was admitted gives it back by {@link leave} at the end.
   */
  admit(tenant: string): Promise<Place> {
    const now = performance.now();
    if (now - this.#sweptAt > PRESENT_MS) this.#sweep(now);
    const queue = this.#queueOf(tenant);
    queue.lastSeen = now;
    return new Promise((resolve, reject) => {
      queue.waiting.push({ since: now, begin: resolve, refuse: reject });
      this.#ready.add(queue);
      this.#waiting += 1;
      this.#patrol ??= setInterval(() => this.#refuseLate(), PATROL_MS).unref();
      this.#later();
    });
  }

  leave(place: Place): void {
    const { queue } = place;
    if (!queue.underWay.delete(place)) return;
    queue.lastSeen = performance.now();
    this.#inFlight -= 1;
    if (this.#waiting > 0) this.#later();
  }

  #queueOf(tenant: string): Queue {
    let queue = this.#queues.get(tenant);
    if (queue === undefined) {
      queue = { waiting: [], underWay: new Set(), lastSeen: 0, lastBegun: 0 };
      this.#queues.set(tenant, queue);
    }
    return queue;
  }

  #begin(queue: Queue, since: number): Place {
    const place = { queue, since };
    queue.underWay.add(place);
    queue.lastBegun = since;
    this.#inFlight += 1;
    return place;
  }

  #hasPlace({ underWay }: Queue): boolean {
    const { inFlight, tenantInFlight, sharedInFlight } = this.#limits;
    if (this.#inFlight >= inFlight || underWay.size >= tenantInFlight) return false;
    if (!this.#isShared || underWay.size < sharedInFlight) return true;
    const long = performance.now() - this.#longMs;
    let short = 0;
    for (const { since } of underWay) if (since > long) short += 1;
    return short < sharedInFlight;
  }

  get #isShared(): boolean {
    return this.#queues.size > 1;
  }

  /**
   * Immediates run one after the other, each with all that follows from it, so that the next one knows how long it took. A few are
   * asked for at once: enough for all who wait would mostly find the turn over.
   */
  #later(): void {
    if (this.#asked >= Math.min(this.#waiting / this.#slice.size(this.#isShared), MAX_ASKED)) return;
    this.#asked += 1;
    setImmediate(this.#goOn);
  }

  readonly #goOn = (): void => {
    this.#asked -= 1;
    if (this.#isOver()) {
      if (this.#asked === 0) this.#later();
    } else if (this.#beginSlice()) {
      for (let more = 0; more < MAX_ASKED; more += 1) this.#later();
    }
  };

  /** Whether any could be begun. */
  #beginSlice(): boolean {
    const size = this.#slice.size(this.#isShared);
    let begun = 0;
    while (begun < size && this.#next()) begun += 1;
    if (begun > 0) this.#slice.measure(begun);
    return begun > 0;
  }

  /**
   * Begins the first of the tenant that has a place and for which nothing was begun for the longest time: one that has only just come
   * does not wait for another one's next. False where none has a place.
   */
  #next(): boolean {
    let next: Queue | undefined;
    for (const queue of this.#ready) {
      if ((next === undefined || queue.lastBegun < next.lastBegun) && this.#hasPlace(queue)) next = queue;
    }
    if (next === undefined) return false;
    this.#first(next)?.begin(this.#begin(next, performance.now()));
    return true;
  }

  /** Out of its queue. */
  #first(queue: Queue): Waiter | undefined {
    this.#waiting -= 1;
    this.#ready.delete(queue);
    const waiter = queue.waiting.shift();
    if (queue.waiting.length > 0) this.#ready.add(queue);
    return waiter;
  }

  #isOver(): boolean {
    if (this.#began !== undefined) {
      return performance.now() - this.#began > (this.#isShared ? SHARED_TURN_MS : TURN_MS);
    }
    this.#began = performance.now();
    // Before those who wait for the next turn: it is asked for before any of them.
    setImmediate(this.#endTurn);
    return false;
  }

  readonly #endTurn = (): void => {
    this.#began = undefined;
  };

  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const [tenant, { waiting, underWay, lastSeen }] of this.#queues) {
      if (waiting.length === 0 && underWay.size === 0 && now - lastSeen > PRESENT_MS) this.#queues.delete(tenant);
    }
    // There may be more places now for those who are left.
    this.#later();
  }

  #refuseLate(): void {
    const now = performance.now();
    // A queue that was shortened comes to the end of the row, and is looked at once more.
    for (const queue of this.#ready) {
      const isLate = (): boolean => now - (queue.waiting[0]?.since ?? now) > this.#limits.queueMs;
      while (isLate()) this.#first(queue)?.refuse(busy());
    }
    // Something may have turned out to be long meanwhile.
    if (this.#waiting > 0) return this.#later();
    clearInterval(this.#patrol);
    this.#patrol = undefined;
  }
}

function busy(): LaminaError {
  return new LaminaError('UNAVAILABLE', 'The service has more under way than it takes on at once. Try again shortly.');
}
