/** Finds the fastest way to run the model that works on this machine. */

import { RUNTIMES, type Engine, type Runtime } from './engine.ts';

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

/** Imported when needed: who runs one need not have the other in memory. */
export async function loadEngine({ runtime, cacheFolder }: EngineOptions): Promise<LoadedEngine> {
  if (runtime === 'wasm') return { engine: await (await import('./wasm-engine.ts')).openWasmEngine(), fallbacks: [] };
  const { openOnnxEngine } = await import('./onnx-engine.ts');
  const fallbacks: string[] = [];
  for (const candidate of RUNTIMES.slice(RUNTIMES.indexOf(runtime))) {
    if (candidate === 'wasm') break;
    try {
      return { engine: await openOnnxEngine(candidate === 'onnx-int8' ? 'int8' : 'fp32', cacheFolder), fallbacks };
    } catch (error) {
      fallbacks.push(`${candidate} does not run here: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { engine: undefined, fallbacks };
}
