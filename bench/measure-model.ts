/** The local model by itself: how long one text takes, and how many go through in bulk. */

import { localEmbedder } from '../src/compose/embedders.ts';
import { GENERIC_SENTENCES } from '../src/embedding/generic-sentences.ts';
import type { Effort } from './options.ts';
import { Samples, type Figures } from './statistics.ts';

const BATCH = 32;

export interface ModelFigures {
  readonly model: string;
  readonly loadMs: number;
  readonly single: Figures;
  readonly batchSize: number;
  readonly batch: Figures;
  /** What the process grew by. */
  readonly memoryBytes: number;
}

/** Natural sentences, over and over: the model keeps nothing of what it has seen. */
function sentences(from: number, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => GENERIC_SENTENCES[(from + index) % GENERIC_SENTENCES.length] ?? '',
  );
}

export async function measureModel(effort: Effort): Promise<ModelFigures> {
  const model = localEmbedder();
  try {
    const before = process.memoryUsage.rss();
    const started = performance.now();
    await model.embed(sentences(0, 1));
    const loadMs = performance.now() - started;
    await model.embed(sentences(1, 2));
    const [single, batch] = [new Samples(), new Samples()];
    await single.block(sentences(0, effort.modelTexts), (text) => model.embed([text]));
    const batches = Array.from({ length: effort.modelBatches }, (_, index) => sentences(index * BATCH, BATCH));
    await batch.block(batches, (texts) => model.embed(texts));
    return {
      model: (await model.space()).model,
      loadMs,
      single: single.figures(1),
      batchSize: BATCH,
      batch: batch.figures(BATCH),
      memoryBytes: process.memoryUsage.rss() - before,
    };
  } finally {
    await model.close();
  }
}
