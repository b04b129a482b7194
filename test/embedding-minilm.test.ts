/** The local model, for real: in its own thread, with the weights of the package. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { calibrationOf } from '../src/embedding/calibration.ts';
import { GENERIC_SENTENCES } from '../src/embedding/generic-sentences.ts';
import { JobQueue } from '../src/embedding/minilm/job-queue.ts';
import { MiniLmEmbedder } from '../src/embedding/minilm/minilm-embedder.ts';

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return [...(a ?? [])].reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0);
}

describe('all-MiniLM-L6-v2', () => {
  const embedder = new MiniLmEmbedder();
  afterAll(() => embedder.close());

  it('tells related texts from unrelated ones, in vectors of unit length', async () => {
    const [tea, drink, keys] = await embedder.embed([
      'She drinks green tea every morning.',
      'What does she like to drink for breakfast?',
      'Rotate the signing keys every quarter.',
    ]);
    expect(cosine(tea, drink)).toBeGreaterThan(cosine(tea, keys) + 0.2);
    const { dimensions } = await embedder.space();
    for (const vector of [tea, drink, keys]) {
      expect(vector).toHaveLength(dimensions);
      expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    }
  });

  it('lets a query go ahead of a bulk job, blocks nothing, and is calibrated as it says', async () => {
    const finished: string[] = [];
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const bulk = embedder.embed(GENERIC_SENTENCES).finally(() => finished.push('bulk'));
    const small = embedder.embed(['one', 'two']).finally(() => finished.push('small'));
    const query = embedder.embed([GENERIC_SENTENCES[7] ?? '']).finally(() => finished.push('query'));
    const [vectors, , [single]] = await Promise.all([bulk, small, query]);
    isDone = true;

    expect(finished).toEqual(['query', 'small', 'bulk']);
    // Run on this thread, the model would let the event loop turn at most a few times per text.
    expect(turns).toBeGreaterThan(GENERIC_SENTENCES.length * 10);
    expect(cosine(vectors[7], single)).toBeGreaterThan(0.9999);
    const measured = calibrationOf(vectors);
    const stated = await embedder.calibration();
    // Quantised arithmetic differs a little between processors.
    expect(Math.abs(measured.mean - stated.mean)).toBeLessThan(0.006);
    expect(Math.abs(measured.deviation - stated.deviation)).toBeLessThan(0.006);
  });

  it('embeds anything: nothing, an empty text, one of blanks, a text past all it reads', async () => {
    expect(await embedder.embed([])).toEqual([]);
    const long = 'river stone '.repeat(700);
    const [empty, blank, cut, longer] = await embedder.embed(['', ' '.repeat(3000), long, `${long}and another end`]);
    expect(cosine(empty, empty)).toBeCloseTo(1, 5);
    expect(cosine(empty, blank)).toBeCloseTo(1, 5);
    expect(cosine(cut, longer)).toBeCloseTo(1, 5);
  });

  it('understands what stands behind its window, and still what a text begins with', async () => {
    const clinic = 'The clinic wants to hire a nurse for the night, and a doctor who knows about hearts. ';
    const concert = 'The violin and the cello rehearse for the concert, and the choir learns its songs. ';
    const [both, music, nurse] = await embedder.embed([
      clinic.repeat(12) + concert.repeat(12),
      'Who makes music?',
      'Which jobs are there at the hospital?',
    ]);
    expect(cosine(both, music)).toBeGreaterThan(0.12);
    expect(cosine(both, nurse)).toBeGreaterThan(0.2);
  });

  it('closes in the middle of work, more than once, and for good', async () => {
    const closing = new MiniLmEmbedder();
    const [outcome] = await Promise.allSettled([closing.embed(GENERIC_SENTENCES), closing.close()]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'EMBEDDING_FAILED' } });
    await closing.close();
    await expect(closing.embed(['a'])).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
  });

  it('does many texts as it does one, in order, with a second copy that leaves when it is idle', async () => {
    const texts = Array.from({ length: 400 }, (_, index) => `${index}: ${GENERIC_SENTENCES[index % 50] ?? ''}`);
    const shared = new MiniLmEmbedder({ maxHosts: 2, idleMs: 10 });
    const embedding = shared.embed(texts);
    expect(shared.hosts).toBe(2);
    const vectors = await embedding;
    expect(vectors).toHaveLength(texts.length);
    for (const index of [0, 137, 399]) {
      const [alone] = await embedder.embed([texts[index] ?? '']);
      expect(cosine(vectors[index], alone)).toBeGreaterThan(0.9999);
    }
    await vi.waitFor(() => expect(shared.hosts).toBe(1), { timeout: 10_000 });
    expect(await shared.embed(['still there'])).toHaveLength(1);
    await shared.close();
    expect(shared.hosts).toBe(0);
  });

  it('keeps a process alive while it works, and not when it is idle', async () => {
    const source = new URL('../src/embedding/minilm/minilm-embedder.ts', import.meta.url);
    const script = `
      import { MiniLmEmbedder } from ${JSON.stringify(source.href)};
      new MiniLmEmbedder().embed(['hello']).then(([vector]) => process.stdout.write(String(vector.length)));
    `;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { timeout: 20_000 });
    expect((await run).stdout).toBe('384');
  });
});

describe('a thread that fails', () => {
  /** Answers with unit vectors, unless a text tells it otherwise. */
  const entry = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, texts }) => {
        if (texts.includes('throw')) throw new Error('out of memory');
        if (texts.includes('exit')) process.exit(0);
        if (texts.includes('wait')) return;
        const vectors = new Float32Array(texts.length).fill(1);
        parentPort.postMessage(texts.includes('refuse') ? { id, problem: 'no' } : { id, vectors });
      });
    `)}`,
  );

  it.each(['throw', 'exit'])('by %s rejects all that wait; the next call starts another', async (how) => {
    const embedder = new MiniLmEmbedder({ workerEntry: entry });
    const outcomes = await Promise.allSettled([embedder.embed(['wait']), embedder.embed([how])]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'EMBEDDING_FAILED' } });
    }
    expect(await embedder.embed(['a', 'b'])).toHaveLength(2);
    await embedder.close();
  });

  it('on one text fails that call only', async () => {
    const embedder = new MiniLmEmbedder({ workerEntry: entry });
    const [good, bad] = await Promise.allSettled([embedder.embed(['a']), embedder.embed(['refuse'])]);
    expect(good?.status).toBe('fulfilled');
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'EMBEDDING_FAILED' } });
    await embedder.close();
  });

  it('fails the large jobs that it had a part of, and no other', async () => {
    const embedder = new MiniLmEmbedder({ workerEntry: entry, maxHosts: 1 });
    const many = (last: string): string[] => [...Array.from({ length: 200 }, (_, index) => `text ${index}`), last];
    const [good, bad] = await Promise.allSettled([embedder.embed(many('fine')), embedder.embed(many('refuse'))]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { length: 201 } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'EMBEDDING_FAILED' } });
    const closing = embedder.embed(many('wait'));
    await Promise.all([expect(closing).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' }), embedder.close()]);
  });

  it('cannot start, and says so', async () => {
    const embedder = new MiniLmEmbedder({ workerEntry: new URL('data:text/javascript,import "no-such-package"') });
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    await embedder.close();
  });
});

describe('the queue of the thread', () => {
  it('does single texts first, in order, then lets the others take turns, and loses none', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (jobs) => {
        const queue = new JobQueue<{ id: number; texts: string[]; vectors: Float32Array[] }>();
        for (const [id, size] of jobs.entries()) {
          queue.put({ id, texts: Array.from({ length: size }, () => ''), vectors: [] });
        }
        const order: number[] = [];
        for (let job = queue.take(); job !== undefined; job = queue.take()) {
          job.vectors.push(new Float32Array());
          order.push(job.id);
          if (job.vectors.length < job.texts.length) queue.put(job);
        }
        const singles = [...jobs.keys()].filter((id) => jobs[id] === 1);
        expect(order.slice(0, singles.length)).toEqual(singles);
        const rounds = [1, 2, 3, 4, 5, 6].flatMap((round) =>
          [...jobs.keys()].filter((id) => (jobs[id] ?? 0) > 1 && (jobs[id] ?? 0) >= round),
        );
        expect(order.slice(singles.length)).toEqual(rounds);
      }),
    );
  });
});
