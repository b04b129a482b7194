/** An embedder of somebody's own that fails in any way: searches and turns go on with words, and no text waits for ever. */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import { GuardedEmbedder } from '../src/embedding/guarded-embedder.ts';
import type { Embedder } from '../src/ports/embedder.ts';
import { remembering, WilfulEmbedder } from './wilful-embedder.ts';

const SECRET = 'key-of-the-provider';

const FAILURES: Readonly<Record<string, (texts: readonly string[]) => unknown>> = {
  'rejects with an Error': () => Promise.reject(new Error(SECRET)),
  'rejects with nothing': () => Promise.reject(undefined),
  'rejects with another LaminaError': () => Promise.reject(new LaminaError('VALIDATION_FAILED', 'I do not like it.')),
  'throws at once': () => {
    throw new TypeError(SECRET);
  },
  'throws a string': () => {
    throw SECRET;
  },
  'answers with null': () => Promise.resolve(null),
  'answers with no promise and no vectors': () => ({ data: [] }),
  'answers with too few': () => Promise.resolve([]),
  'answers with too many': (texts) => Promise.resolve([...texts, ''].map(() => new Float32Array(64).fill(0.125))),
  'answers with holes': () => Promise.resolve([undefined]),
  'answers with what is no number': () => Promise.resolve([new Float32Array(64).fill(Number.NaN)]),
  'answers with text': () => Promise.resolve(['a vector']),
  'answers with another number of dimensions': () => Promise.resolve([new Float32Array(3).fill(0.5)]),
};

describe('an embedder of somebody’s own', () => {
  it.each(Object.keys(FAILURES))('that %s leaves words to search by', async (name) => {
    const embedder = new WilfulEmbedder();
    const { memory, lamina } = await remembering(embedder);
    embedder.instead = FAILURES[name];
    const { results, warnings } = await memory.search({ query: 'harbour freezes', threshold: 0 });
    expect(results.map((one) => one.memory.content)).toEqual(['The harbour freezes in January']);
    expect(warnings).toEqual(['The query could not be embedded; only words were searched.']);
    const turn = await memory.turnContext({ message: 'When is it that the harbour freezes?', threshold: 0 });
    expect(turn.context).toContain('The harbour freezes in January');
    expect(turn.degraded).toBe(true);
    for (const refused of [
      memory.search({ query: 'icy', mode: 'semantic' }),
      memory.add({ content: 'New', layer: 'user' }),
    ]) {
      const error = await refused.then(
        () => undefined,
        (thrown: unknown) => thrown as LaminaError,
      );
      expect(error).toMatchObject({ code: 'EMBEDDING_FAILED' });
      expect(JSON.stringify(error)).not.toContain(SECRET);
    }
    expect((await lamina.health()).components).toMatchObject({ embedder: { status: 'degraded' } });
    embedder.instead = undefined;
    expect((await memory.search({ query: 'harbour again', threshold: 0 })).warnings).toBeUndefined();
  });

  it('has finite numbers in every place, however large and small', async () => {
    const embedder = new WilfulEmbedder({ dims: 6 });
    const guarded = new GuardedEmbedder(embedder);
    const finite = [3.4e38, -3.4e38, 1e-45, -0, 0, 1];
    for (const [place, bad] of finite.flatMap((_, at) =>
      [Number.NaN, Infinity, -Infinity].map((each) => [at, each] as const),
    )) {
      embedder.instead = () =>
        Promise.resolve([Float32Array.from(finite, (value, at) => (at === place ? bad : value))]);
      await expect(guarded.embed(['a'])).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    }
    embedder.instead = () => Promise.resolve([Float32Array.from(finite)]);
    expect(await guarded.embed(['a'])).toEqual([Float32Array.from(finite)]);
  });

  it('that never answers fails in the end whoever waits for it, by the number of texts', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const never = (): Promise<never> => new Promise(() => {});
    const silent: Embedder = {
      space: never,
      calibration: never,
      embed: never,
      forget: () => {},
      close: async () => {},
    };
    const guarded = new GuardedEmbedder(silent);
    const failed = { code: 'EMBEDDING_FAILED', message: expect.stringContaining('did not answer') as string };
    const calls = [guarded.space(), guarded.calibration(), guarded.embed(['a'])].map((call) =>
      expect(call).rejects.toMatchObject(failed),
    );
    let isOver = false;
    const many = guarded.embed(Array.from({ length: 100 }, String)).finally(() => (isOver = true));
    const longer = many.catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(130_000);
    await Promise.all(calls);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await longer).toMatchObject(failed);
  });

  it('is waited for by one timer, which keeps no process alive that waits for nothing', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { promise, resolve } = Promise.withResolvers<Float32Array[]>();
    const embedder = new WilfulEmbedder();
    const vectors = await embedder.embed(['a']);
    embedder.instead = () => promise;
    const guarded = new GuardedEmbedder(embedder);
    const before = timers();
    for (let round = 0; round < 2; round += 1) {
      const calls = [guarded.embed(['a']), guarded.embed(['a'])];
      expect(timers()).toBe(before + 1);
      resolve(vectors);
      expect(await Promise.all(calls)).toEqual([vectors, vectors]);
      expect(timers()).toBe(before);
    }
  });

  it('hands on what is right, and vectors as lists of numbers', async () => {
    const embedder = new WilfulEmbedder();
    const guarded = new GuardedEmbedder(embedder);
    const [vector] = await embedder.embed(['a']);
    expect(await guarded.embed(['a'])).toEqual([vector]);
    expect(await guarded.embed([])).toEqual([]);
    embedder.instead = () => Promise.resolve([[...(vector ?? [])]]);
    expect(await guarded.embed(['a'])).toEqual([vector]);
    expect(await guarded.space()).toEqual(await embedder.space());
    expect(await guarded.calibration()).toEqual(await embedder.calibration());
  });
});
