/** Importing a bundle: read, checked, put under other names where asked, and written in pages. */

import { COLLECTIONS, type Collection } from '../../domain/archive.ts';
import type { BundleCounts, BundleFooter, BundleHeader } from '../../domain/bundle.ts';
import type { BundleItem } from '../../domain/bundle-item.ts';
import { asLaminaError, LaminaError } from '../../domain/error.ts';
import type { BundleEnd } from './bundle-end.ts';
import { bundleParts } from './read-bundle.ts';
import { remapItem } from './remap-item.ts';
import { Remapping, type Renamings } from './remapping.ts';

export interface CheckedBundle {
  readonly header: BundleHeader;
  readonly footer: BundleFooter;
  /** Who is renamed, and nowhere in it. */
  readonly unmetUsers: readonly string[];
}

export interface ImportBundle {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Opened once the header is known. */
  readonly openTarget: (header: BundleHeader) => Promise<BundleEnd>;
  readonly renamings?: Renamings | undefined;
  /** Whether vectors are left out. */
  readonly withoutVectors?: boolean | undefined;
  /** Checked before every page. Its reason is thrown; what was written stays, and the import can be started again. */
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((collection: Collection, done: number) => void) | undefined;
}

export interface ImportReport extends CheckedBundle {
  readonly tenantId: string;
  /** What is there now and was not before. Also what others wrote meanwhile. */
  readonly added: BundleCounts;
  /** What the target does not take, by count. */
  readonly leftOut: BundleCounts;
  readonly embedded: number;
}

/** Items at once, and characters. */
const PAGE_ITEMS = 200;
const PAGE_SIZE = 4 * 1024 * 1024;

/** Reads all of it and writes nothing. Throws `VALIDATION_FAILED` with the line that is wrong. */
export async function checkBundle(
  chunks: AsyncIterable<Uint8Array>,
  { renamings = {}, progress }: { readonly renamings?: Renamings; readonly progress?: (done: number) => void } = {},
): Promise<CheckedBundle> {
  const remapping = new Remapping(renamings);
  let header: BundleHeader | undefined;
  let footer: BundleFooter | undefined;
  let done = 0;
  for await (const part of bundleParts(chunks)) {
    if (part.type === 'header') ({ header } = part);
    else if (part.type === 'footer') ({ footer } = part);
    else {
      remapped(part, remapping);
      done += 1;
      progress?.(done);
    }
  }
  if (header === undefined || footer === undefined) throw nothing();
  return { header, footer, unmetUsers: remapping.unmet(renamings.users) };
}

function nothing(): LaminaError {
  return new LaminaError('VALIDATION_FAILED', 'The bundle is empty. Fetch the file again, or export it again.');
}

/**
 * What is there already stays as it is, so that the same bundle can be imported twice, and one that was interrupted again.
 * Throws `VALIDATION_FAILED` with the line that is wrong: what stood before it has arrived by then. Check it first where
 * it can be read twice.
 */
export async function importBundle(input: ImportBundle): Promise<ImportReport> {
  let running: Importing | undefined;
  let footer: BundleFooter | undefined;
  for await (const part of bundleParts(input.chunks)) {
    if (part.type === 'header') running = await Importing.begin(input, part.header);
    else if (part.type === 'item') await running?.take(part);
    else ({ footer } = part);
  }
  if (running === undefined || footer === undefined) throw nothing();
  return running.end(footer);
}

interface ItemPart {
  readonly collection: Collection;
  readonly item: BundleItem;
  readonly line: number;
}

class Importing {
  readonly #input: ImportBundle;
  readonly #header: BundleHeader;
  readonly #target: BundleEnd;
  readonly #remapping: Remapping;
  readonly #tenantId: string;
  readonly #before: BundleCounts;
  readonly #leftOut: BundleCounts = {};
  #page: BundleItem[] = [];
  #pageOf: Collection = 'users';
  #size = 0;
  #done = 0;
  #embedded = 0;

  private constructor(input: ImportBundle, header: BundleHeader, target: BundleEnd, before: BundleCounts, to: string) {
    this.#input = input;
    this.#header = header;
    this.#target = target;
    this.#before = before;
    this.#tenantId = to;
    this.#remapping = remappingFor(input.renamings ?? {}, header.tenantId, to);
  }

  static async begin(input: ImportBundle, header: BundleHeader): Promise<Importing> {
    const target = await input.openTarget(header);
    const { tenantId, counts } = await target.survey();
    await target.advanceVersions(header.latestVersion);
    return new Importing(input, header, target, counts, tenantId);
  }

  async take(part: ItemPart): Promise<void> {
    const { collection } = part;
    this.#done += 1;
    if (!this.#target.collections.includes(collection)) {
      this.#leftOut[collection] = (this.#leftOut[collection] ?? 0) + 1;
      return;
    }
    if (collection !== this.#pageOf) await this.#write();
    this.#pageOf = collection;
    const item = remapped(part, this.#remapping);
    this.#page.push(this.#input.withoutVectors === true && 'entry' in item ? { entry: item.entry } : item);
    this.#size += sizeOf(part.item);
    if (this.#page.length >= PAGE_ITEMS || this.#size >= PAGE_SIZE) await this.#write();
  }

  async end(footer: BundleFooter): Promise<ImportReport> {
    await this.#write();
    const { counts } = await this.#target.survey();
    const added = COLLECTIONS.map((name) => [name, Math.max(0, (counts[name] ?? 0) - (this.#before[name] ?? 0))]);
    return {
      header: this.#header,
      footer,
      tenantId: this.#tenantId,
      added: Object.fromEntries(added) as BundleCounts,
      leftOut: this.#leftOut,
      embedded: this.#embedded,
      unmetUsers: this.#remapping.unmet(this.#input.renamings?.users),
    };
  }

  async #write(): Promise<void> {
    const { signal, progress } = this.#input;
    signal?.throwIfAborted();
    if (this.#page.length === 0) return;
    this.#embedded += await this.#target.write(this.#pageOf, this.#page);
    this.#page = [];
    this.#size = 0;
    progress?.(this.#pageOf, this.#done);
  }
}

/** The company is the tenant, where nobody has named another one: it goes along. */
function remappingFor(renamings: Renamings, from: string, to: string): Remapping {
  if (from === to) return new Remapping(renamings);
  const companies = new Map([[from, to], ...(renamings.identifiers?.get('companyId') ?? [])]);
  const identifiers = new Map([...(renamings.identifiers ?? []), ['companyId', companies] as const]);
  return new Remapping({ ...renamings, identifiers });
}

function remapped({ collection, item, line }: ItemPart, remapping: Remapping): BundleItem {
  try {
    return remapItem(collection, item, remapping);
  } catch (error) {
    const { message, code } = asLaminaError(error);
    throw new LaminaError(code, `Line ${line} of the bundle cannot be imported so: ${message}`, {
      details: { line },
      cause: error,
    });
  }
}

/** Roughly, in characters: texts and vectors are the most of it. */
function sizeOf(item: BundleItem): number {
  if ('entry' in item) {
    const vectors = item.embeddings ?? [];
    return item.entry.content.length + vectors.reduce((sum, { vector }) => sum + vector.length, 0);
  }
  return 'value' in item || 'items' in item || 'state' in item ? JSON.stringify(item).length : 1000;
}
