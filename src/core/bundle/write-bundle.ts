/** A tenant as the lines of a bundle: a header, the items, a checksum behind each collection and one over everything. */

import { createHash, type Hash } from 'node:crypto';
import type { Collection } from '../../domain/archive.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleCounts,
  type BundleFooter,
  type BundleHeader,
} from '../../domain/bundle.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { BundleEnd, BundlePage, BundleSurvey } from './bundle-end.ts';

interface WriteBundle {
  readonly from: Pick<BundleEnd, 'collections' | 'pages'>;
  readonly survey: BundleSurvey;
  readonly vectors: boolean;
  readonly laminaVersion: string;
  /** Milliseconds. */
  readonly now: number;
  /** Told after every page. */
  readonly progress?: ((collection: Collection, done: number) => void) | undefined;
}

interface Space {
  readonly model: string;
  readonly dimensions: number;
}

/** Some lines at a time. Throws what the source throws. */
export async function* bundleLines(bundle: WriteBundle): AsyncGenerator<string, BundleFooter> {
  const { from, vectors, progress } = bundle;
  const lines = new Lines();
  yield lines.add([headerOf(bundle)]);
  let done = 0;
  const waiting = [...from.collections];
  for await (const { collection, items } of from.pages(vectors)) {
    // What has nothing in it ends as well.
    while (waiting[0] !== collection && waiting[0] !== undefined) yield lines.end(waiting.shift() ?? collection);
    yield lines.items(collection, items);
    done += items.length;
    progress?.(collection, done);
  }
  for (const collection of waiting) yield lines.end(collection);
  const footer = lines.footer();
  yield lines.add([footer]);
  return footer;
}

function headerOf({ from, survey, vectors, laminaVersion, now }: WriteBundle): BundleHeader {
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    laminaVersion,
    tenantId: survey.tenantId,
    exportedAt: new Date(now).toISOString(),
    vectors,
    collections: [...from.collections],
    latestVersion: survey.latestVersion,
  };
}

class Lines {
  readonly #whole: Hash = createHash('sha256');
  readonly #counts: BundleCounts = {};
  readonly #spaces = new Map<string, Space>();
  #part: Hash = createHash('sha256');
  #count = 0;

  add(lines: readonly object[]): string {
    return this.#take(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  /** With their keys in one order, so that equal data has equal checksums wherever it was before. */
  items(collection: Collection, items: BundlePage['items']): string {
    const text = this.#take(items.map((item) => `${canonicalJson({ collection, item })}\n`).join(''));
    this.#part.update(text);
    this.#count += items.length;
    if (collection === 'entries') this.#noteSpaces(items);
    return text;
  }

  end(collection: Collection): string {
    this.#counts[collection] = this.#count;
    const line = this.add([{ end: collection, count: this.#count, sha256: this.#part.digest('hex') }]);
    this.#part = createHash('sha256');
    this.#count = 0;
    return line;
  }

  footer(): BundleFooter {
    const sha256 = this.#whole.copy().digest('hex');
    return { end: 'bundle', counts: this.#counts, spaces: [...this.#spaces.values()], sha256 };
  }

  #take(text: string): string {
    this.#whole.update(text);
    return text;
  }

  #noteSpaces(items: BundlePage['items']): void {
    for (const { embeddings } of items) {
      for (const { model, dimensions } of (embeddings ?? []) as readonly Space[]) {
        this.#spaces.set(JSON.stringify([model, dimensions]), { model, dimensions });
      }
    }
  }
}
