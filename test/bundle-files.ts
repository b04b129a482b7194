/** Bundles of engines under test, held in memory. */

import { archiveEnd } from '../src/core/bundle/archive-end.ts';
import type { BundleEnd } from '../src/core/bundle/bundle-end.ts';
import { importBundle, type ImportBundle, type ImportReport } from '../src/core/bundle/import-bundle.ts';
import { bundleLines } from '../src/core/bundle/write-bundle.ts';
import { COLLECTIONS, type Collection } from '../src/domain/archive.ts';
import { LaminaError } from '../src/domain/error.ts';
import type { Archive } from '../src/ports/archive.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Embedder } from '../src/ports/embedder.ts';
import type { Engine } from '../src/ports/engine.ts';

interface BundleOptions {
  readonly vectors?: boolean;
  readonly collections?: readonly Collection[];
}

export async function exported(
  { archive, upkeep }: Engine,
  clock: Clock,
  tenantId: string,
  { vectors = true, collections = COLLECTIONS }: BundleOptions = {},
): Promise<string> {
  const from = archiveEnd({ archive, upkeep, clock }, tenantId, { collections });
  const survey = await from.survey();
  let text = '';
  for await (const lines of bundleLines({ from, survey, vectors, laminaVersion: '0', now: clock.now() })) text += lines;
  return text;
}

interface ImportOptions extends Partial<ImportBundle> {
  readonly tenantId?: string;
  readonly archive?: Archive;
  readonly embedder?: Embedder;
}

/** In chunks that end anywhere. */
export async function* chunksOf(text: string, size = 1000): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export function imported(
  engine: Engine,
  clock: Clock,
  text: string,
  { tenantId, archive = engine.archive, embedder, ...options }: ImportOptions = {},
): Promise<ImportReport> {
  const { upkeep } = engine;
  const openTarget = async (header: { readonly tenantId: string }): Promise<BundleEnd> =>
    archiveEnd({ archive, upkeep, clock }, tenantId ?? header.tenantId, {
      collections: COLLECTIONS,
      embedder,
    });
  return importBundle({ chunks: chunksOf(text), openTarget, ...options });
}

export async function refusal(work: Promise<unknown>): Promise<LaminaError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof LaminaError) return thrown;
  throw new Error('It was not refused.', { cause: thrown });
}
