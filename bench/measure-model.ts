/** The local model by itself, beside the same model in WebAssembly: how long one text takes, and how many go through in bulk. */

import { localEmbedder } from '../src/compose/embedders.ts';
import { GENERIC_SENTENCES } from '../src/embedding/generic-sentences.ts';
import { MiniLmEmbedder } from '../src/embedding/minilm/minilm-embedder.ts';
import type { Embedder } from '../src/ports/embedder.ts';
import type { Effort } from './options.ts';
import { Samples, type Figures } from './statistics.ts';

/** WebAssembly would take too long for as many texts: so many times fewer have to do. */
const FEWER = { singles: 4, bulk: 12 };
/** In which both take turns. */
const ROUNDS = 3;
/** Words of a single text: about 15 tokens, as a question or a short memory has. */
const SINGLE_WORDS: ReadonlySet<number> = new Set([10, 11, 12]);

export interface ModelRow {
  readonly what: string;
  readonly native: Figures;
  readonly wasm: Figures;
  /** How many times as fast as WebAssembly. */
  readonly faster: number;
}

export interface ModelFigures {
  readonly model: string;
  readonly runtime: string;
  readonly loadMs: number;
  readonly rows: readonly ModelRow[];
}

class Side {
  readonly singles = new Samples();
  readonly bulk = new Samples();
  readonly #model: Pick<Embedder, 'embed'>;

  constructor(model: Pick<Embedder, 'embed'>) {
    this.#model = model;
  }

  async measure(singles: readonly string[], bulk: readonly string[]): Promise<void> {
    await this.singles.block(singles, (text) => this.#model.embed([text]));
    await this.bulk.block([bulk], (texts) => this.#model.embed(texts));
  }
}

/** Natural sentences, over and over: the model keeps nothing of what it has seen. */
function cycled(sentences: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => sentences[index % sentences.length] ?? '');
}

export async function measureModel({ modelTexts, modelBulk }: Effort): Promise<ModelFigures> {
  const started = performance.now();
  const model = localEmbedder();
  const slow = new MiniLmEmbedder({ runtime: 'wasm', maxHosts: 1 });
  try {
    await model.embed(['Loads the model.']);
    const loadMs = performance.now() - started;
    await slow.embed(['Loads it too.']);
    const bulk = cycled(GENERIC_SENTENCES, modelBulk);
    // A large one starts a second process, which stays for a while.
    await model.embed(bulk);
    const [native, wasm] = [new Side(model), new Side(slow)];
    const typical = GENERIC_SENTENCES.filter((text) => SINGLE_WORDS.has(text.split(' ').length));
    for (let round = 0; round < ROUNDS; round += 1) {
      await native.measure(cycled(typical, modelTexts * FEWER.singles), bulk);
      await wasm.measure(cycled(typical, modelTexts), bulk.slice(0, modelBulk / FEWER.bulk));
    }
    const runtime = model instanceof MiniLmEmbedder ? await model.runtime() : 'unknown';
    return { model: (await model.space()).model, runtime, loadMs, rows: rowsOf(native, wasm, modelBulk) };
  } finally {
    await Promise.all([model.close(), slow.close()]);
  }
}

function rowsOf(native: Side, wasm: Side, texts: number): ModelRow[] {
  const single = { native: native.singles.figures(1), wasm: wasm.singles.figures(1) };
  const bulk = { native: native.bulk.figures(texts), wasm: wasm.bulk.figures(texts / FEWER.bulk) };
  return [
    { what: 'single text', ...single, faster: single.wasm.p50 / single.native.p50 },
    { what: 'in bulk', ...bulk, faster: bulk.native.perSecond / bulk.wasm.perSecond },
  ];
}
