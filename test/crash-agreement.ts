/** Whether the parts of an entry agree: what it says, its history, its events, and that its words and its vector find it. */

import { isDeepStrictEqual } from 'node:util';
import type { Event } from '../src/domain/event.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { Ledger } from './crash-ledger.ts';
import { cellOf } from './crash-steps.ts';

/** The same text, but for how floats are rounded on the way. */
const SAME = 0.999;

/** All of its words cover far more of a query for them; none of them cover nothing. */
const HALF = 0.5;

/** Follows the events of all entries: each change has one, in its order. */
export class EventBook {
  readonly #last = new Map<string, { readonly type: Event['type']; readonly version: number }>();
  #after: string | undefined;
  #count = 0;

  /** From where it is read on. */
  async begin(memory: Memory): Promise<void> {
    this.#after = (await memory.events.position({})).position;
  }

  /** Reads what came since, up to the event of something that is written and deleted for it; returns who had any. */
  async read(memory: Memory, problems: string[]): Promise<Set<string>> {
    const marker = await memory.add({ content: `up to here ${this.#count}`, layer: 'user' });
    await memory.delete({ id: marker.memory.id });
    const touched = new Set<string>();
    for await (const event of memory.events.follow({ ...(this.#after !== undefined && { after: this.#after }) })) {
      this.#after = event.id;
      if (event.memoryId !== marker.memory.id) {
        this.#note(event, problems);
        touched.add(event.memoryId);
      } else if (event.type === 'deleted') return touched;
    }
    problems.push('the events ended before the last one came');
    return touched;
  }

  /** What its events say that should be there: a version, or nothing. */
  versionOf(id: string): number | undefined {
    const last = this.#last.get(id);
    return last === undefined || last.type === 'deleted' ? undefined : last.version;
  }

  #note({ type, memoryId, version }: Event, problems: string[]): void {
    this.#count += 1;
    const before = this.versionOf(memoryId);
    const wanted = { created: 1, updated: (before ?? Number.NaN) + 1, deleted: before ?? Number.NaN }[type];
    if (version !== wanted || (type === 'created' && before !== undefined)) {
      problems.push(`event ${type} ${version} of ${memoryId} after version ${before}`);
    }
    this.#last.set(memoryId, { type, version });
  }
}

/** Of one entry; by the ledger it is there, or it is not. */
export async function disagreements(memory: Memory, ledger: Ledger, book: EventBook, id: string): Promise<string[]> {
  const known = ledger.known(cellOf.entry(id));
  const told = book.versionOf(id);
  const problems = told === known?.version ? [] : [`its events end at ${told}, it stands at ${known?.version}`];
  if (known === undefined) {
    if ((await memory.get({ id })).memory !== null) problems.push('it was deleted and can be read');
    return problems.map((problem) => `${id}: ${problem}`);
  }
  const content = String(known.value);
  const { versions } = await memory.versions({ id });
  const said = versions.map((version) => [version.memory.version, version.memory.content]);
  const wanted = ledger.history(cellOf.entry(id)).map((value, index) => [index + 1, value]);
  if (!isDeepStrictEqual(said, wanted.toReversed())) problems.push(`its history is ${JSON.stringify(said)}`);
  const [found] = (await memory.search({ query: content, limit: 1, threshold: 0, rank: 'relevance' })).results;
  if (found?.memory.id !== id) problems.push('a search for what it says does not find it');
  else if (found.signals.text < HALF) problems.push('its words do not find it');
  else if ((found.similarity ?? 0) < SAME) problems.push('its vector does not find it, or is that of another text');
  return problems.map((problem) => `${id}: ${problem}`);
}
