/** Export and import of a tenant page by page, for its administrators: the items of a bundle without its frame. */

import { z } from 'zod';
import { COLLECTIONS, type Collection } from '../../domain/archive.ts';
import {
  KEPT_COLLECTIONS,
  type ExportPageInput,
  type ExportPageOutput,
  type ImportPageInput,
  type ImportPageOutput,
} from '../../domain/bundle.ts';
import type { BundleItem, BundleItems } from '../../domain/bundle-item.ts';
import { asLaminaError, invalidField, LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Place } from '../../ports/archive.ts';
import { assertAdmin } from '../admin/assert-admin.ts';
import { recordHourly } from '../admin/record-act.ts';
import type { Dependencies } from '../dependencies.ts';
import { archiveEnd, packedPage, surveyOf } from './archive-end.ts';
import { checkedItem } from './bundle-codec.ts';
import type { BundleEnd } from './bundle-end.ts';
import { latestWhole } from './whole-archive.ts';

export interface Bundles {
  /** The next items of the principal's own tenant, of all its users. What is written meanwhile may or may not be included. */
  exportPage(principal: Principal, input: ExportPageInput): Promise<ExportPageOutput>;
  /** Into the principal's own tenant. All of them or none; what is there already stays as it is. */
  importPage(principal: Principal, input: ImportPageInput): Promise<ImportPageOutput>;
}

type Needs = Pick<Dependencies, 'archive' | 'audit' | 'hotArchive' | 'upkeep' | 'embedder' | 'clock' | 'indexer'>;

/** What a service gives and takes. */
const SERVED: readonly Collection[] = COLLECTIONS.filter((name) => !KEPT_COLLECTIONS.has(name));

export function createBundles(needs: Needs): Bundles {
  return {
    exportPage: (principal, input) => exportPage(needs, principal, input),
    importPage: (principal, input) => importPage(needs, principal, input),
  };
}

async function exportPage(needs: Needs, principal: Principal, input: ExportPageInput): Promise<ExportPageOutput> {
  assertAdmin(principal);
  assertNoAgent(principal);
  const { tenantId } = principal;
  const at = placeIn(input.cursor);
  await recordHourly(needs, principal, 'tenants.export');
  const { vectors = true, limit } = input;
  const { items, last } = await packedPage(needs, tenantId, { ...at, vectors, limit });
  const next = last === undefined ? nextCollection(at.collection) : { collection: at.collection, after: last };
  return {
    tenantId,
    collection: at.collection,
    items: [...items],
    ...(input.cursor === undefined && (await beginning(needs, tenantId))),
    nextCursor: next === undefined ? null : cursorOf(next),
  };
}

/** An export holds all of a tenant, also what waits for review, which no agent may read. */
function assertNoAgent({ agentId }: Principal): void {
  if (agentId === undefined) return;
  throw new LaminaError('FORBIDDEN', 'Agents do not export a tenant. Act as the user, without an agent.');
}

async function beginning(needs: Needs, tenantId: string): Promise<Pick<ExportPageOutput, 'counts' | 'latestVersion'>> {
  const { counts, latestVersion } = await surveyOf(needs, tenantId);
  return { counts: Object.fromEntries(SERVED.map((name) => [name, counts[name] ?? 0])), latestVersion };
}

interface ExportPlace {
  readonly collection: Collection;
  readonly after: Place | undefined;
}

function nextCollection(collection: Collection): ExportPlace | undefined {
  const next = SERVED[SERVED.indexOf(collection) + 1];
  return next && { collection: next, after: undefined };
}

// No key has a NUL character, and not every database could look for one.
const part = z.union([z.int(), z.string().regex(/^[^\0]*$/)]);
const cursorSchema = z.tuple([z.literal('export'), z.enum(COLLECTIONS), z.array(part).max(3).nullable()]);

function cursorOf({ collection, after }: ExportPlace): string {
  return Buffer.from(JSON.stringify(['export', collection, after ?? null])).toString('base64url');
}

/** Throws `VALIDATION_FAILED`. */
function placeIn(cursor: string | undefined): ExportPlace {
  if (cursor === undefined) return { collection: 'users', after: undefined };
  try {
    const [, collection, after] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (SERVED.includes(collection)) return { collection, after: after ?? undefined };
  } catch {
    // Answered below.
  }
  throw invalidField('cursor', 'is broken; take it unchanged from the answer before');
}

async function importPage(needs: Needs, principal: Principal, input: ImportPageInput): Promise<ImportPageOutput> {
  assertAdmin(principal);
  const { collection, latestVersion } = input;
  if (KEPT_COLLECTIONS.has(collection)) {
    throw new LaminaError(
      'FORBIDDEN',
      `The ${collection} of a tenant are not imported through a service. Import them into the database, with lamina import.`,
    );
  }
  const items = input.items.map((item, index) => numbered(index, () => checkedItem(collection, item)));
  // Fails at once where a store is out of reach. What follows is patient.
  await latestWhole(needs, principal.tenantId);
  await recordHourly(needs, principal, 'tenants.import');
  const end = archiveEnd(needs, principal.tenantId, { collections: SERVED, embedder: needs.embedder });
  if (latestVersion !== undefined) await end.advanceVersions(latestVersion);
  if (items.length === 0) return { receivedCount: 0, embeddedCount: 0 };
  const embeddedCount =
    collection === 'entries'
      ? await importEntries(needs, principal, end, items as BundleItems['entries'][])
      : await end.write(collection, items);
  return { receivedCount: items.length, embeddedCount };
}

async function importEntries(
  { embedder, indexer }: Needs,
  { tenantId }: Principal,
  end: BundleEnd,
  items: readonly BundleItems['entries'][],
): Promise<number> {
  const space = await embedder.space();
  const embeddedCount = await end.write(
    'entries',
    items.map((item) => ofSpace(item, space)),
  );
  const ids = items.map(({ entry }) => entry.id);
  await indexer?.tellOf(tenantId, ids);
  return embeddedCount;
}

/** A space has an index of its own, and is nothing that callers may add. */
function ofSpace(
  item: BundleItems['entries'],
  space: { readonly model: string; readonly dimensions: number },
): BundleItem {
  const { embeddings = [] } = item;
  const isOwn = ({ model, dimensions }: (typeof embeddings)[number]): boolean =>
    model === space.model && dimensions === space.dimensions;
  return { ...item, embeddings: embeddings.filter(isOwn) };
}

function numbered<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, message } = asLaminaError(error);
    throw new LaminaError(code, `items.${index}: ${message}`, {
      details: { problems: [{ path: `items.${index}`, message: message.replace(/\.$/, '') }] },
      cause: error,
    });
  }
}
