/** Processing much data in small steps: pages, batches and limited concurrency. */

/** How much is asked for at once: the longest page of a list, and fewer than any sensible limit of a batch. */
export const PORTION = 100;

const AT_A_TIME = 8;

/** The newest items, oldest of them first. */
export interface Bounded<Item> {
  readonly items: readonly Item[];
  /** Whether that is all. */
  readonly isComplete: boolean;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Every page, one after the other. */
export async function* pagesOf<Item>(
  read: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[], void> {
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await read(cursor === null ? {} : { cursor });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Up to `limit` of pages that come newest first. */
export async function newestOf<Item>(pages: AsyncIterable<readonly Item[]>, limit: number): Promise<Bounded<Item>> {
  const items: Item[] = [];
  for await (const page of pages) {
    items.push(...page);
    if (items.length > limit) return { items: items.slice(0, limit).toReversed(), isComplete: false };
  }
  return { items: items.toReversed(), isComplete: true };
}

export async function allOf<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

export function portionsOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / PORTION);
  return Array.from({ length: count }, (_, index) => items.slice(index * PORTION, (index + 1) * PORTION));
}

/** Does the work for each, a few at a time; outputs in the order of the items. */
export async function forEachOf<Item, Output>(
  items: readonly Item[],
  work: (item: Item) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) outputs[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return outputs;
}
