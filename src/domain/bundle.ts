/** A bundle: everything of one tenant as lines of JSON, with checksums. What its lines are, and how it travels in pages. */

import { z } from 'zod';
import { COLLECTIONS, type Collection } from './archive.ts';
import { isoTime } from './entry.ts';

export const BUNDLE_FORMAT = 'lamina-bundle';
export const BUNDLE_VERSION = 1;

/** Higher versions are refused: counting on from them must never exceed the safe integers. */
export const MAX_BUNDLE_VERSION = 2 ** 48;

/** What a service neither exports nor imports: keys are secrets, and administrators must not write their own audit log. */
export const KEPT_COLLECTIONS: ReadonlySet<Collection> = new Set(['apiKeys', 'auditEntries']);

const MAX_PAGE_ITEMS = 500;
export const DEFAULT_PAGE_ITEMS = 100;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);
const counts = z.partialRecord(z.enum(COLLECTIONS), count).describe('How many items of each collection.');
const latestVersion = z.int().min(0).max(MAX_BUNDLE_VERSION);

export type BundleCounts = z.output<typeof counts>;

/** The first line. */
export const bundleHeaderSchema = z.strictObject({
  format: z.literal(BUNDLE_FORMAT),
  version: z.int().min(1),
  laminaVersion: z.string(),
  tenantId: z.guid().toLowerCase(),
  exportedAt: isoTime,
  vectors: z.boolean(),
  collections: z.array(z.enum(COLLECTIONS)),
  latestVersion,
});

export type BundleHeader = z.output<typeof bundleHeaderSchema>;

export const bundleItemLineSchema = z.strictObject({
  collection: z.enum(COLLECTIONS),
  item: z.record(z.string(), z.unknown()),
});

/** After the last item of a collection: the checksum of its lines. */
export const bundleEndLineSchema = z.strictObject({ end: z.enum(COLLECTIONS), count, sha256: digest });

const spaceSchema = z.strictObject({ model: z.string().min(1).max(255), dimensions: z.int().min(1).max(65_536) });

/** The last line: the checksum of all lines before it. */
export const bundleFooterSchema = z.strictObject({
  end: z.literal('bundle'),
  counts,
  spaces: z.array(spaceSchema),
  sha256: digest,
});

export type BundleFooter = z.output<typeof bundleFooterSchema>;

const items = z
  .array(z.record(z.string(), z.unknown()))
  .max(MAX_PAGE_ITEMS)
  .describe('As in a bundle: field names are not in snake_case.');

export const exportPageInputSchema = z.strictObject({
  limit: z.int().min(1).max(MAX_PAGE_ITEMS).optional().describe(`Default ${DEFAULT_PAGE_ITEMS}.`),
  cursor: z.string().min(1).max(4096).optional().describe('Where the last page ended.'),
  vectors: z.boolean().optional().describe('Whether to include the vectors of entries. Default true.'),
});

export type ExportPageInput = z.output<typeof exportPageInputSchema>;

export const exportPageOutputSchema = z.strictObject({
  tenantId: z.string(),
  collection: z.enum(COLLECTIONS).describe('The collection of these items. A page may be empty.'),
  items,
  counts: counts.optional().describe('How many items of each collection there were. On the first page only.'),
  latestVersion: latestVersion
    .optional()
    .describe('The highest version of any state or record. On the first page only.'),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});

export type ExportPageOutput = z.output<typeof exportPageOutputSchema>;

export const importPageInputSchema = z.strictObject({
  collection: z.enum(COLLECTIONS).describe('The collection of all these items. Entries come before their versions.'),
  items,
  latestVersion: latestVersion.optional().describe('From the export: new versions will be higher than this.'),
});

export type ImportPageInput = z.output<typeof importPageInputSchema>;

export const importPageOutputSchema = z.strictObject({
  receivedCount: count.describe('How many of these the tenant has now, including those it already had.'),
  embeddedCount: count.describe('Entries that had no vector of the model in use and were embedded.'),
});

export type ImportPageOutput = z.output<typeof importPageOutputSchema>;
