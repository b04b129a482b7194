/**
 * Admission control. Requests that arrive together are started together, up to a small time budget. Starting all of them at
 * once would delay everything else (timers, heartbeats, health checks); the rest wait for the next turn of the event loop.
 * Among waiting tenants, the one served least recently goes first; when several ask, each may have only a few requests in
 * flight.
 */

import { LaminaError } from '../domain/error.ts';
import { LinkedRow, type RowMember } from './linked-row.ts';
import { DEFAULT_SERVICE_LIMITS, type ServiceLimits } from './service-limits.ts';
import { SliceSize } from './slice-size.ts';

/** Milliseconds of a turn after which no request is started. */
const TURN_MS = 5;

/** The same while several tenants ask, so that they wait less. */
const SHARED_TURN_MS = 1;

/** How long a tenant counts as asking after its last request. */
const PRESENT_MS = 1000;

/** A request that takes longer than this, such as maintenance, no longer counts against the few slots of its tenant. */
const LONG_MS = 5000;

/** Immediates at once; see `#later`. */
const MAX_ASKED = 8;

/** How often waiting requests are checked for a timeout. */
const PATROL_MS = 100;

type AdmissionLimits = Pick<ServiceLimits, 'inFlight' | 'tenantInFlight' | 'sharedInFlight' | 'queueMs'>;

/** The slot of an admitted request. */
export interface Place extends RowMember<Place> {
  readonly queue: Queue;
  readonly since: number;
}

/** Who waits for a slot. Neither may throw. */
export interface Waiter {
  begin(place: Place): void;
  /** With `UNAVAILABLE`. */
  refuse(error: LaminaError): void;
}

interface Waiting {
  readonly since: number;
  readonly waiter: Waiter;
}

interface Queue {
  readonly waiting: Waiting[];
  /** The oldest first. */
  readonly underWay: LinkedRow<Place>;
  lastSeen: number;
  lastBegun: number;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #longMs: number;
  readonly #slice: SliceSize;
  readonly #queues = new Map<string, Queue>();
  /** Queues with waiting requests. */
  readonly #ready = new Set<Queue>();
  /** When the turn began; undefined before the first request of a turn. */
  #began: number | undefined;
  #inFlight = 0;
  #waiting = 0;
  /** Immediates scheduled to continue with waiting requests. */
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
   * Waits for a slot; within a tenant, in the order of the calls. Rejects with `UNAVAILABLE` if there is none for too long.
   * Return the slot with {@link leave} at the end.
   */
  admit(tenant: string): Promise<Place> {
    return new Promise((begin, refuse) => this.queue(tenant, { begin, refuse }));
  }

  /** The same without a promise. Calls one of the two later, never before this returns, in nobody's asynchronous context. */
  queue(tenant: string, waiter: Waiter): void {
    const now = performance.now();
    if (now - this.#sweptAt > PRESENT_MS) this.#sweep(now);
    const queue = this.#queueOf(tenant);
    queue.lastSeen = now;
    queue.waiting.push({ since: now, waiter });
    this.#ready.add(queue);
    this.#waiting += 1;
    this.#patrol ??= setInterval(() => this.#refuseLate(), PATROL_MS).unref();
    this.#later();
  }

  leave(place: Place): void {
    const { queue } = place;
    if (!queue.underWay.delete(place)) return;
    // Nobody asks for it before.
    if (queue.underWay.size === 0) queue.lastSeen = performance.now();
    this.#inFlight -= 1;
    if (this.#waiting > 0) this.#later();
  }

  #queueOf(tenant: string): Queue {
    let queue = this.#queues.get(tenant);
    if (queue === undefined) {
      queue = { waiting: [], underWay: new LinkedRow(), lastSeen: 0, lastBegun: 0 };
      this.#queues.set(tenant, queue);
    }
    return queue;
  }

  #begin(queue: Queue, since: number): Place {
    const place: Place = { queue, since, earlier: undefined, later: undefined, isInRow: false };
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
   * Immediates run one after another, each with its microtasks, so that the next one knows how long it took. Only a few are
   * scheduled at once: if there were one per waiting request, most would find the turn over.
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

  /** Whether any could be started. */
  #beginSlice(): boolean {
    const size = this.#slice.size(this.#isShared);
    const since = performance.now();
    let begun = 0;
    while (begun < size && this.#next()) begun += 1;
    if (begun > 0) this.#slice.measure(begun, since);
    return begun > 0;
  }

  /**
   * Starts the first request of the tenant with a free slot that was served least recently: a newcomer does not wait behind
   * another tenant's next request. False if no tenant has a free slot.
   */
  #next(): boolean {
    let next: Queue | undefined;
    for (const queue of this.#ready) {
      if ((next === undefined || queue.lastBegun < next.lastBegun) && this.#hasPlace(queue)) next = queue;
    }
    if (next === undefined) return false;
    this.#first(next)?.waiter.begin(this.#begin(next, performance.now()));
    return true;
  }

  /** Out of its queue. */
  #first(queue: Queue): Waiting | undefined {
    this.#waiting -= 1;
    const first = queue.waiting.shift();
    const isReady = queue.waiting.length > 0;
    // Alone in the row, it is at the end of it as it is.
    if (isReady && this.#ready.size === 1) return first;
    this.#ready.delete(queue);
    if (isReady) this.#ready.add(queue);
    return first;
  }

  #isOver(): boolean {
    if (this.#began !== undefined) {
      return performance.now() - this.#began > (this.#isShared ? SHARED_TURN_MS : TURN_MS);
    }
    this.#began = performance.now();
    // Before those waiting for the next turn, because it was scheduled first.
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
    // There may be more slots now for the remaining ones.
    this.#later();
  }

  #refuseLate(): void {
    const now = performance.now();
    // A shortened queue moves to the end of the row, and is visited once more.
    for (const queue of this.#ready) {
      const isLate = (): boolean => now - (queue.waiting[0]?.since ?? now) > this.#limits.queueMs;
      while (isLate()) this.#first(queue)?.waiter.refuse(busy());
    }
    // A request may have turned out to be long meanwhile.
    if (this.#waiting > 0) return this.#later();
    clearInterval(this.#patrol);
    this.#patrol = undefined;
  }
}

function busy(): LaminaError {
  return new LaminaError('UNAVAILABLE', 'The service has more under way than it takes on at once. Try again shortly.');
}
