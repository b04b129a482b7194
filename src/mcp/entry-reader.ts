/** Entries for resources: of the open layers, and no more sensitive than a model may see. */

import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import { LAYERS, type Layer } from '../domain/scope.ts';
import type { ToolContext } from '../tools/memory-tool.ts';
import { reachedEntry } from '../tools/reached-memory.ts';
import { NOTICE } from '../tools/shown-memory.ts';
import { isTrusted, mayShow, reach, shownOf } from '../tools/tool-reach.ts';

const PAGE_SIZE = 50;

export interface EntryPage {
  readonly notice: string;
  readonly memories: readonly Entry[];
  /** How many there are, including those not shown. */
  readonly totalCount: number;
  /** How many of this page were left out because they are too sensitive. */
  readonly withheld: number;
}

export class EntryReader {
  readonly #context: ToolContext;

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /**
   * Null if it does not exist, is not visible to you, is in a layer that is not open, or is too sensitive. Throws
   * `VALIDATION_FAILED` for an invalid id.
   */
  async one(id: string): Promise<Entry | null> {
    const entry = await reachedEntry(this.#context, id);
    return entry !== null && mayShow(this.#context, entry.sensitivity) ? entry : null;
  }

  /** The newest of a layer. Throws `INVALID_LAYER`, or `MISSING_IDENTIFIER` if the layer is not open. */
  async layer(layer: Layer): Promise<EntryPage> {
    const input = { layer, limit: PAGE_SIZE, ...reach(this.#context) };
    const { memories, totalCount } = await this.#context.memory.list(input);
    const trusted = memories.filter((entry) => isTrusted(this.#context, entry));
    const { shown, withheld } = shownOf(this.#context, trusted);
    return { notice: NOTICE, memories: shown, totalCount, withheld };
  }

  /** The newest of every layer that is open, newest first. */
  async recent(): Promise<EntryPage> {
    const pages = (await Promise.all(LAYERS.map((layer) => this.#layerIfOpen(layer)))).filter((page) => page !== null);
    const sum = (count: (page: EntryPage) => number): number => pages.reduce((total, page) => total + count(page), 0);
    return {
      notice: NOTICE,
      memories: pages
        .flatMap(({ memories }) => memories)
        .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
        .slice(0, PAGE_SIZE),
      totalCount: sum(({ totalCount }) => totalCount),
      withheld: sum(({ withheld }) => withheld),
    };
  }

  async #layerIfOpen(layer: Layer): Promise<EntryPage | null> {
    try {
      return await this.layer(layer);
    } catch (error) {
      if (error instanceof LaminaError && ['MISSING_IDENTIFIER', 'FORBIDDEN'].includes(error.code)) return null;
      throw error;
    }
  }
}
