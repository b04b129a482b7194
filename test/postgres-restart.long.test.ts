/** PostgreSQL is restarted under load: nothing that was acknowledged is lost, and Lamina goes on by itself. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { LaminaError } from '../src/domain/error.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { describeOnOwnPostgres, freshDatabase, ownServer } from './postgres-server.ts';

const WRITERS = 8;

/** Does something again and again until told to stop; keeps what was acknowledged and how it failed. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly failures: LaminaError[] = [];
  readonly #write: (name: string) => Promise<unknown>;
  readonly #done: Promise<void>;
  #isStopped = false;

  constructor(write: (name: string) => Promise<unknown>) {
    this.#write = write;
    this.#done = this.#run();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#done;
  }

  async #run(): Promise<void> {
    for (let count = 0; !this.#isStopped; count += 1) {
      const name = String(count);
      try {
        await this.#write(name);
        this.acknowledged.push(name);
      } catch (error) {
        if (!(error instanceof LaminaError)) throw error;
        this.failures.push(error);
        await sleep(20);
      }
    }
  }
}

describeOnOwnPostgres('a restart of PostgreSQL under load', () => {
  it('loses nothing that was acknowledged, and needs no restart of ours', { timeout: 60_000 }, async () => {
    const server = await ownServer();
    onTestFinished(() => server.close());
    const { url } = await freshDatabase(server.url);
    await using lamina = await Lamina.open({ database: url, embedder: new HashEmbedder() });
    const memories = Array.from({ length: WRITERS }, (_, index) => lamina.as({ userId: `user-${index}` }));
    const adding = memories.map(
      (memory) => new Writer((name) => memory.add({ content: `note ${name}`, layer: 'user' })),
    );
    const setting = memories.map(
      (memory, plan) => new Writer((key) => memory.working.set({ planId: `plan-${plan}`, key, value: key })),
    );
    const writers = [...adding, ...setting];
    const progress = (): number => Math.min(...writers.map(({ acknowledged }) => acknowledged.length));
    await expect.poll(progress, { timeout: 20_000 }).toBeGreaterThan(5);
    // As a crash does it: without a word to anybody, with whatever was under way.
    await server.stop('immediate');
    expect((await lamina.health()).components['store']?.status).toBe('unhealthy');
    await server.start();
    const before = progress();
    await expect.poll(progress, { timeout: 20_000 }).toBeGreaterThan(before + 5);
    await Promise.all(writers.map((writer) => writer.stop()));
    expect((await lamina.health()).status).toBe('healthy');
    const failures = writers.flatMap((writer) => writer.failures);
    expect(failures.length).toBeGreaterThan(0);
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['UNAVAILABLE']));
    for (const [index, memory] of memories.entries()) {
      const stored = new Set(await contentsOf(memory));
      expect(adding[index]?.acknowledged.filter((name) => !stored.has(`note ${name}`))).toEqual([]);
      for (const key of setting[index]?.acknowledged ?? []) {
        expect((await memory.working.get({ planId: `plan-${index}`, key }))?.value).toBe(key);
      }
    }
  });
});

async function contentsOf(memory: ReturnType<Lamina['as']>): Promise<string[]> {
  const contents: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.list({ layer: 'user', limit: 100, ...(cursor !== undefined && { cursor }) });
    contents.push(...page.memories.map(({ content }) => content));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return contents;
}
