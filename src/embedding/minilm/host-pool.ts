/** The places that the local model runs in: one, and a second while there is much to do. */

import { LaminaError } from '../../domain/error.ts';
import { BulkJob, PART_SIZE } from './bulk-job.ts';
import type { Runtime } from './engine.ts';
import { JobQueue } from './job-queue.ts';
import { MiniLmHost, type HostOptions } from './minilm-host.ts';
import type { MiniLmHello } from './minilm-worker.ts';

/** A job from here on is worth a second host, which takes a quarter of a second and 130 MB. */
const LARGE_JOB_CHARACTERS = 16_000;

/** Parts that a host has at a time: one to work on, and the next. */
const PARTS_AT_ONCE = 2;

export interface PoolOptions extends Omit<HostOptions, 'onEnd'> {
  readonly maxHosts: number;
  /** How long the second host stays without work. */
  readonly idleMs: number;
}

interface Seat {
  readonly host: MiniLmHost;
  parts: number;
  idle: NodeJS.Timeout | undefined;
}

/** Hosts start when they are needed. A crash fails what the host had taken on; the next call starts another. */
export class HostPool {
  readonly #options: PoolOptions;
  readonly #queue = new JobQueue<BulkJob>();
  #seats: Seat[] = [];
  #runtime: Runtime;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#runtime = options.engine.runtime;
  }

  /** How many there are at the moment. */
  get size(): number {
    return this.#seats.length;
  }

  /** Few texts go to a host at once, which puts single ones first; many wait here for their turn. */
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.#isClosed) throw closed();
    if (texts.length <= PART_SIZE) return this.#use(this.#calmest(), texts);
    const job = new BulkJob(texts);
    this.#queue.put(job);
    this.#handOut();
    if (job.characters >= LARGE_JOB_CHARACTERS && this.size < this.#options.maxHosts) this.#start();
    return job.vectors;
  }

  /** What runs, loading it if need be. */
  async hello(): Promise<MiniLmHello | undefined> {
    if (this.#isClosed) throw closed();
    const seat = this.#calmest();
    if (seat.host.hello === undefined) await this.#use(seat, []);
    return seat.host.hello;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const seats = this.#seats;
    this.#seats = [];
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) job.fail(closed());
    await Promise.all(seats.map((seat) => this.#stop(seat)));
  }

  /** The host with the least to do, and rather one whose model is loaded. */
  #calmest(): Seat {
    const ready = this.#seats.filter(({ host }) => host.hello !== undefined);
    const [first, second] = ready.length > 0 ? ready : this.#seats;
    if (first === undefined) return this.#start();
    return second !== undefined && second.host.waiting < first.host.waiting ? second : first;
  }

  /** Gives parts to whoever has room. A second host that is still loading would only keep them. */
  #handOut(): void {
    const hasRoom = (seat: Seat, place: number): boolean =>
      seat.parts < PARTS_AT_ONCE && (place === 0 || seat.host.hello !== undefined);
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) {
      if (!job.hasParts) continue;
      const seat = this.size === 0 ? this.#start() : this.#seats.find(hasRoom);
      if (seat === undefined) return this.#queue.put(job);
      void this.#doPart(seat, job);
      this.#queue.put(job);
    }
  }

  async #doPart(seat: Seat, job: BulkJob): Promise<void> {
    seat.parts += 1;
    await job.doPart((texts) => this.#use(seat, texts));
    seat.parts -= 1;
    if (!this.#isClosed) this.#handOut();
  }

  async #use(seat: Seat, texts: readonly string[]): Promise<Float32Array[]> {
    clearTimeout(seat.idle);
    try {
      return await seat.host.embed(texts);
    } finally {
      this.#retireWhenIdle(seat);
    }
  }

  #start(): Seat {
    const host = new MiniLmHost({
      ...this.#options,
      engine: { ...this.#options.engine, runtime: this.#runtime },
      onHello: (hello) => {
        // What did not run for this one need not be tried for the next.
        this.#runtime = hello.runtime;
        this.#options.onHello(hello);
        this.#handOut();
        this.#retireWhenIdle(seat);
      },
      onEnd: () => this.#leave(seat),
    });
    const seat: Seat = { host, parts: 0, idle: undefined };
    this.#seats.push(seat);
    return seat;
  }

  /** The first host stays: loading the model again would cost the next query more than it saves. */
  #retireWhenIdle(seat: Seat): void {
    const isSpare = (): boolean => this.#seats.indexOf(seat) > 0 && seat.host.waiting === 0;
    clearTimeout(seat.idle);
    if (!isSpare()) return;
    seat.idle = setTimeout(() => {
      if (!isSpare()) return;
      this.#leave(seat);
      void this.#stop(seat);
    }, this.#options.idleMs).unref();
  }

  #leave(seat: Seat): void {
    clearTimeout(seat.idle);
    this.#seats = this.#seats.filter((each) => each !== seat);
  }

  async #stop(seat: Seat): Promise<void> {
    clearTimeout(seat.idle);
    await seat.host.stop(closed());
  }
}

function closed(): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', 'The embedder is closed.', { details: { permanent: true } });
}
