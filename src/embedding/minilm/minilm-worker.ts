/** Entry of a thread or process in which the local model runs: takes jobs, answers each with its vectors. */

import { setImmediate } from 'node:timers/promises';
import type { Engine, Runtime, Step } from './engine.ts';
import { JobQueue } from './job-queue.ts';
import { loadEngine } from './load-engine.ts';
import { openWorkerPort, type WorkerPort } from './worker-port.ts';

export interface MiniLmRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

/** The first message: the model is loaded. */
export interface MiniLmHello {
  readonly runtime: Runtime;
  /** Why nothing faster is used. */
  readonly fallbacks: readonly string[];
}

export type MiniLmReply =
  | MiniLmHello
  /** Instead of a hello: it does not run here. */
  | { readonly unavailable: readonly string[] }
  /** All vectors one after the other. */
  | { readonly id: number; readonly vectors: Float32Array }
  | { readonly id: number; readonly problem: string };

/** Texts that were asked for together, what is left to do for them, and what is done. */
interface Job extends MiniLmRequest {
  readonly steps: Step[];
  readonly vectors: Float32Array[];
}

/** One after the other in a single buffer, which travels faster than many. */
function joined(vectors: readonly Float32Array[]): Float32Array {
  const size = vectors[0]?.length ?? 0;
  const all = new Float32Array(vectors.length * size);
  for (const [index, vector] of vectors.entries()) all.set(vector, index * size);
  return all;
}

/** So long after a single text, for which somebody waited, another one may come. */
const ATTENTIVE_MS = 1000;

class JobRunner {
  readonly #engine: Engine;
  readonly #reply: (message: MiniLmReply) => void;
  readonly #queue = new JobQueue<Job>();
  #isRunning = false;
  #singleAt = Number.NEGATIVE_INFINITY;

  constructor(engine: Engine, reply: (message: MiniLmReply) => void) {
    this.#engine = engine;
    this.#reply = reply;
  }

  take({ id, texts }: MiniLmRequest): void {
    const now = performance.now();
    if (texts.length === 1) this.#singleAt = now;
    const isFine = now - this.#singleAt < ATTENTIVE_MS;
    this.#queue.put({ id, texts, steps: [...this.#engine.plan(texts, isFine)], vectors: [] });
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) {
      try {
        await this.#runStep(job);
      } catch (error) {
        // After a trap the engine's memory cannot be trusted: let the thread die; the next call starts another.
        if (error instanceof WebAssembly.RuntimeError) throw error;
        this.#reply({ id: job.id, problem: String(error) });
      }
      // Lets in what has arrived meanwhile, which may go first.
      await setImmediate();
    }
    this.#isRunning = false;
  }

  async #runStep(job: Job): Promise<void> {
    const step = job.steps.shift();
    const vectors = step ? await step.run() : [];
    for (const [place, index] of (step?.indexes ?? []).entries()) {
      const vector = vectors[place];
      if (vector !== undefined) job.vectors[index] = vector;
    }
    if (job.steps.length > 0) this.#queue.put(job);
    else this.#reply({ id: job.id, vectors: joined(job.vectors) });
  }
}

async function main(port: WorkerPort): Promise<void> {
  const reply = (message: MiniLmReply): void => port.post(message);
  const { engine, fallbacks } = await loadEngine(port.options);
  if (engine === undefined) return reply({ unavailable: fallbacks });
  const runner = new JobRunner(engine, reply);
  reply({ runtime: engine.runtime, fallbacks });
  port.onMessage((message) => runner.take(message as MiniLmRequest));
}

await main(openWorkerPort());
