/** People who go on writing and searching while the embedding model is changed, and what they were promised. */

import assert from 'node:assert/strict';
import type { Memory } from '../src/operations/memory.ts';

const SCOPE = { layer: 'project', identifiers: { projectId: 'p' } } as const;

const TOPICS = ['harbour', 'orchard', 'glacier', 'lantern', 'viaduct', 'meadow', 'foundry', 'archive'];

export class ModelLoad {
  readonly #memories: readonly Memory[];
  /** What was acknowledged, by id. */
  readonly contents = new Map<string, string>();
  readonly failures: unknown[] = [];
  searches = 0;
  #isOver = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(memories: readonly Memory[]) {
    this.#memories = memories;
  }

  /** Writes so many, before anything goes on. */
  async seed(count: number): Promise<void> {
    const entries = Array.from({ length: count }, (_, index) => ({ ...SCOPE, content: contentOf('seed', index) }));
    const [memory] = this.#memories;
    for (let start = 0; start < count; start += 100) {
      const results = await (memory as Memory).addMany(entries.slice(start, start + 100));
      for (const { memory: written } of results) this.contents.set(written.id, written.content);
    }
  }

  start(): void {
    const loops = this.#memories.flatMap((memory, who) => [this.#write(memory, who), this.#search(memory)]);
    this.#work = Promise.all(loops);
  }

  /** Throws the first thing that went wrong. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
    if (this.failures.length > 0) throw this.failures[0];
  }

  async #write(memory: Memory, who: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      await this.#try(async () => {
        const { memory: added } = await memory.add({ ...SCOPE, content: contentOf(`writer${who}`, turn) });
        this.contents.set(added.id, added.content);
        const content = `${added.content} corrected`;
        if (turn % 3 !== 0) return;
        await memory.update({ id: added.id, content });
        this.contents.set(added.id, content);
      });
    }
  }

  /** By meaning alone: words would be found whatever becomes of vectors. */
  async #search(memory: Memory): Promise<void> {
    while (!this.#isOver) {
      await this.#try(async () => {
        const known = [...this.contents];
        const [id, query] = known[(this.searches * 7919) % known.length] ?? [];
        const { results } = await memory.search({
          query: String(query),
          mode: 'semantic',
          identifiers: SCOPE.identifiers,
          threshold: 0,
          limit: 5,
        });
        this.searches += 1;
        assert.ok(results.length > 0, 'A search found nothing.');
        const isThere = results.some(({ memory: found }) => found.id === id);
        if (isThere || this.contents.get(String(id)) !== query) return;
        assert.fail(`"${query}" was not found.`);
      });
    }
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      // Everybody gets a turn.
      await new Promise((resolve) => setTimeout(resolve, 25));
    } catch (error) {
      this.failures.push(error);
      this.#isOver = true;
    }
  }
}

/** No two are alike, neither in words nor in parts of words. */
function contentOf(who: string, turn: number): string {
  const mark = (turn * 2654435761).toString(36);
  return `${who} ${mark} ${TOPICS[turn % TOPICS.length]} ${turn.toString(2)}x`;
}
