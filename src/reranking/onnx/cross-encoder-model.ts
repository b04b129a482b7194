/** A cross-encoder from a folder, loaded into onnxruntime: a query and texts go in, a score per text comes out. */

import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { loadOnnxRuntime } from '../../embedding/onnx-runtime.ts';
import { WordPiece } from '../../embedding/word-piece.ts';
import { pairBatches, type PairBatch } from './pair-batches.ts';

/** Where exports of such models lie, as people have them. */
const MODEL_FILES = ['model.onnx', 'onnx/model.onnx'] as const;

export interface CrossEncoderModel {
  /** One between 0 and 1 per text. Gives up between two batches where `isWanted` says no. */
  scores(query: string, texts: readonly string[], isWanted: () => boolean): Promise<number[]>;
}

type Run = (batch: PairBatch) => Promise<Float32Array>;

/** Throws with a sentence that says what is missing or does not fit. */
export async function openCrossEncoder(folder: string): Promise<CrossEncoderModel> {
  const words = await readVocabulary(folder);
  const run = await openModel(await modelFile(folder));
  return {
    scores: async (query, texts, isWanted) => {
      const scores: number[] = [];
      for (const batch of pairBatches(words, query, texts)) {
        if (!isWanted()) break;
        const logits = await run(batch);
        for (const [place, index] of batch.indexes.entries()) {
          scores[index] = probability(logits, place, logits.length / batch.indexes.length);
        }
        // Lets in who no longer waits.
        await setImmediate();
      }
      return scores;
    },
  };
}

/** Of one output by itself; of two what the second, "relevant", has against the first. */
function probability(logits: Float32Array, place: number, outputs: number): number {
  const at = place * outputs;
  const logit = outputs === 1 ? (logits[at] ?? 0) : (logits[at + 1] ?? 0) - (logits[at] ?? 0);
  return 1 / (1 + Math.exp(-logit));
}

async function modelFile(folder: string): Promise<string> {
  for (const name of MODEL_FILES) {
    const path = join(folder, name);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error(`there is no ${MODEL_FILES.join(' or ')}`);
}

async function readVocabulary(folder: string): Promise<WordPiece> {
  let text: string;
  try {
    text = await readFile(join(folder, 'tokenizer.json'), 'utf8');
  } catch {
    throw new Error('there is no tokenizer.json');
  }
  const { model } = JSON.parse(text) as { model?: { type?: string; vocab?: Record<string, number> } };
  // Others, such as those of XLM-RoBERTa, cut texts in another way.
  if (model?.vocab === undefined || (model.type ?? 'WordPiece') !== 'WordPiece') {
    throw new Error('its tokenizer.json is not of the kind WordPiece, which is the only one that is supported');
  }
  return new WordPiece(model.vocab);
}

async function openModel(path: string): Promise<Run> {
  const { InferenceSession, Tensor } = loadOnnxRuntime();
  const session = await InferenceSession.create(await readFile(path), { interOpNumThreads: 1 });
  return async ({ indexes, width, ids, mask, types }) => {
    const shape = [indexes.length, width];
    const inputs = {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
      // Not all of them tell the query from the text.
      ...(session.inputNames.includes('token_type_ids') && { token_type_ids: new Tensor('int64', types, shape) }),
    };
    const outputs = await session.run(inputs);
    const logits = outputs['logits'] ?? Object.values(outputs)[0];
    if (logits === undefined || ![1, 2].includes(logits.data.length / indexes.length)) {
      throw new Error('it gives neither one nor two numbers per text, so it is no reranker');
    }
    return logits.data;
  };
}
