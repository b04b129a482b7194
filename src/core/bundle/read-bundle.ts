/** A bundle read line by line, each checked: its form, its order, the checksums. Nothing is believed before it is read. */

import { createHash, type Hash } from 'node:crypto';
import type { z } from 'zod';
import { COLLECTIONS, type Collection } from '../../domain/archive.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  bundleEndLineSchema,
  bundleFooterSchema,
  bundleHeaderSchema,
  bundleItemLineSchema,
  type BundleCounts,
  type BundleFooter,
  type BundleHeader,
} from '../../domain/bundle.ts';
import type { BundleItem } from '../../domain/bundle-item.ts';
import { asLaminaError, LaminaError } from '../../domain/error.ts';
import { checkedItem } from './bundle-codec.ts';
import { brokenLine, linesOf, type Line } from './bundle-lines.ts';

/** In this order: the header, items of one collection after the other, the footer. */
type BundlePart =
  | { readonly type: 'header'; readonly header: BundleHeader }
  | { readonly type: 'item'; readonly collection: Collection; readonly item: BundleItem; readonly line: number }
  | { readonly type: 'footer'; readonly footer: BundleFooter };

/** Throws `VALIDATION_FAILED` at the first line that is wrong, and says which; or that it ends too early. */
export async function* bundleParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BundlePart> {
  let reading: Reading | undefined;
  let last = 0;
  for await (const line of linesOf(chunks)) {
    last = line.number;
    if (reading === undefined) {
      const header = headerIn(line);
      reading = new Reading(header, line);
      yield { type: 'header', header };
    } else {
      const part = reading.read(line);
      if (part !== undefined) yield part;
    }
  }
  if (reading?.isComplete !== true) throw brokenLine(last + 1, 'is missing: the bundle is not complete');
}

function headerIn(line: Line): BundleHeader {
  const json = jsonOrNothing(line);
  const { format, version } = (json ?? {}) as { readonly format?: unknown; readonly version?: unknown };
  if (format !== BUNDLE_FORMAT) {
    throw new LaminaError(
      'VALIDATION_FAILED',
      'This is no bundle of Lamina: its first line does not say so. Give a file that lamina export wrote; what another program ' +
        'wrote is read with --from.',
      { details: { line: 1 } },
    );
  }
  if (typeof version === 'number' && version > BUNDLE_VERSION) {
    throw new LaminaError(
      'VALIDATION_FAILED',
      `The bundle has format version ${version}; this version of Lamina reads up to ` +
        `${BUNDLE_VERSION}. Import it with a newer one.`,
      { details: { line: 1, version } },
    );
  }
  const header = fitting(bundleHeaderSchema, json, line);
  const inOrder = COLLECTIONS.filter((name) => header.collections.includes(name));
  if (inOrder.join() !== header.collections.join()) throw brokenLine(1, 'names collections out of order');
  return header;
}

class Reading {
  readonly #whole: Hash = createHash('sha256');
  readonly #waiting: Collection[];
  readonly #counts: BundleCounts = {};
  #part: Hash = createHash('sha256');
  #count = 0;
  #isComplete = false;

  constructor(header: BundleHeader, line: Line) {
    this.#waiting = [...header.collections];
    this.#whole.update(line.bytes);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read(line: Line): BundlePart | undefined {
    if (this.#isComplete) throw brokenLine(line.number, 'stands behind the end');
    const json = jsonIn(line);
    const [collection] = this.#waiting;
    if (collection === undefined) return this.#readFooter(line, json);
    this.#whole.update(line.bytes);
    if (typeof json === 'object' && json !== null && 'end' in json) return this.#readEnd(line, json, collection);
    const { collection: named, item } = fitting(bundleItemLineSchema, json, line);
    if (named !== collection) throw brokenLine(line.number, `is of the ${named}, where the ${collection} are`);
    this.#part.update(line.bytes);
    this.#count += 1;
    return { type: 'item', collection, item: itemIn(line, collection, item), line: line.number };
  }

  #readEnd(line: Line, json: object, collection: Collection): undefined {
    const { end, count, sha256 } = fitting(bundleEndLineSchema, json, line);
    if (end !== collection) throw brokenLine(line.number, `ends the ${end}, where the ${collection} are`);
    if (count !== this.#count) throw brokenLine(line.number, `tells of ${count} ${end}; there are ${this.#count}`);
    if (sha256 !== this.#part.digest('hex')) throw brokenLine(line.number, `has another checksum than the ${end}`);
    this.#counts[collection] = this.#count;
    this.#part = createHash('sha256');
    this.#count = 0;
    this.#waiting.shift();
  }

  #readFooter(line: Line, json: unknown): BundlePart {
    const footer = fitting(bundleFooterSchema, json, line);
    if (footer.sha256 !== this.#whole.digest('hex')) {
      throw brokenLine(line.number, 'has another checksum than all before it');
    }
    if (COLLECTIONS.some((name) => footer.counts[name] !== this.#counts[name])) {
      throw brokenLine(line.number, 'has other counts than the collections');
    }
    this.#isComplete = true;
    return { type: 'footer', footer };
  }
}

/** The first line of any other file may be anything. */
function jsonOrNothing(line: Line): unknown {
  try {
    return jsonIn(line);
  } catch {
    return undefined;
  }
}

function jsonIn({ number, bytes }: Line): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw brokenLine(number, 'is no JSON', error);
  }
}

function fitting<Schema extends z.ZodType>(schema: Schema, json: unknown, { number }: Line): z.output<Schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw brokenLine(number, `does not fit (${[...(issue?.path ?? []), issue?.message].join(': ')})`);
}

function itemIn({ number }: Line, collection: Collection, item: unknown): BundleItem {
  try {
    return checkedItem(collection, item);
  } catch (error) {
    const { message } = asLaminaError(error);
    throw brokenLine(number, `holds no item: ${message.replace(/\.$/, '')}`, error);
  }
}
