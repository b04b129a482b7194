/** Laying vectors out by UMAP, in a thread of its own: landmarks by all of it, the others beside them. */

import { Worker } from 'node:worker_threads';
import type { Layout, LayoutOptions, Plane, Vectors } from '../../ports/layout.ts';

/** The same module in a checkout, where types are stripped, and in the package, where they are compiled away. */
const WORKER = new URL(`./umap-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

export interface LandmarkData extends Vectors {
  readonly positions?: Float32Array<ArrayBuffer> | undefined;
}

/** What the thread says: how far it is, or the positions that it was asked for. */
export type FromLayout = { readonly progress: number } | { readonly positions: Float32Array<ArrayBuffer> };

export function umapLayout(): Layout {
  return { open: (landmarks, options) => openPlane(landmarks, options) };
}

async function openPlane(
  { values, dimensions }: Vectors,
  { positions: known, progress }: LayoutOptions = {},
): Promise<Plane> {
  const workerData: LandmarkData = { values, dimensions, positions: known };
  const worker = new Worker(WORKER, { workerData, execArgv: [] });
  // Whoever ends does not wait for a map.
  worker.unref();
  const close = async (): Promise<void> => void (await worker.terminate());
  try {
    const positions = await answerOf(worker, progress);
    return {
      positions,
      place: (vectors) => {
        const answer = answerOf(worker, progress);
        worker.postMessage(vectors.values, [vectors.values.buffer]);
        return answer;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The next positions that it gives. It is asked for one thing at a time. */
function answerOf(worker: Worker, progress: LayoutOptions['progress']): Promise<Float32Array> {
  return new Promise((resolve, reject) => {
    const ended = (code: number): void => settle(() => reject(new Error(`The layout thread ended with ${code}.`)));
    const failed = (error: unknown): void => settle(() => reject(error));
    const heard = (message: FromLayout): void => {
      if ('progress' in message) progress?.(message.progress);
      else settle(() => resolve(message.positions));
    };
    const settle = (end: () => void): void => {
      worker.off('message', heard).off('error', failed).off('exit', ended);
      end();
    };
    worker.on('message', heard).on('error', failed).on('exit', ended);
  });
}
