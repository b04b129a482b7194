/** The items of a bundle, by collection: what is stored, without what can be derived from it. */

import { z } from 'zod';
import { MAX_ACCESS_TIMES } from './access-times.ts';
import { apiKeySchema } from './api-key.ts';
import type { Collection } from './archive.ts';
import { auditEntrySchema } from './audit.ts';
import { MAX_BUNDLE_VERSION } from './bundle.ts';
import { contextSchema, snapshotItemSchema } from './context.ts';
import { entryId, entrySchema, identifier, isoTime, pathName } from './entry.ts';
import { factSchema } from './fact.ts';
import { maintenanceRunSchema } from './maintenance.ts';
import { isNamespace } from './namespace.ts';
import { planContextSchema } from './plan-context.ts';
import { planSchema } from './plan.ts';
import { poolSchema } from './pool.ts';
import { sessionSchema } from './session.ts';
import { jsonSchema } from './state.ts';
import { taskContextSchema } from './task-context.ts';

const MAX_DIMENSIONS = 65_536;
const MAX_KEY_LENGTH = 4096;

const version = z.int().min(0).max(MAX_BUNDLE_VERSION);
const recorded = { version, createdAt: isoTime, updatedAt: isoTime } as const;

/** Of one space; the vector is base64 of its numbers as 32-bit floats, little-endian. */
const embeddingSchema = z.strictObject({
  model: z.string().min(1).max(255),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS),
  vector: z.base64(),
});

/** Older items have no trust; see `withTrust`. */
const trust = entrySchema.shape.trust.optional();

const storedEntrySchema = entrySchema.omit({ currentRelevance: true, embedding: true }).extend({ version, trust });

const stateSchema = z.strictObject({
  namespace: z.string().max(MAX_KEY_LENGTH).refine(isNamespace, 'is no namespace'),
  key: z.string().max(MAX_KEY_LENGTH),
  value: jsonSchema,
  ...recorded,
  expiresAt: isoTime.optional(),
  accessCount: z.int().min(0),
  lastAccessedAt: isoTime.optional(),
  keptUntil: isoTime.optional(),
});

const snapshotSchema = z.strictObject({
  snapshotId: pathName,
  contextId: pathName,
  ownerId: z.string(),
  name: z.string().optional(),
  reason: z.string().optional(),
  createdBy: z.string(),
  items: z.array(snapshotItemSchema),
  ...recorded,
});

const accessSchema = z.strictObject({
  accessId: pathName,
  contextId: pathName,
  ownerId: z.string(),
  actorId: z.string(),
  agentId: identifier.optional(),
  action: z.string(),
  entryKey: z.string().optional(),
  ...recorded,
});

/** Each is strict: an unknown field would be lost silently. */
export const BUNDLE_ITEMS = {
  users: z.strictObject({ id: identifier, createdAt: isoTime }),
  entries: z.strictObject({
    entry: storedEntrySchema,
    embeddings: z.array(embeddingSchema).max(16).optional(),
    accessTimes: z.array(isoTime).max(MAX_ACCESS_TIMES).optional(),
  }),
  versions: z.strictObject({ entryId, memory: storedEntrySchema, replacedAt: isoTime }),
  state: stateSchema,
  plans: planSchema.extend(recorded),
  planContexts: planContextSchema.extend(recorded),
  sessions: sessionSchema.extend(recorded),
  taskContexts: taskContextSchema.extend(recorded),
  apiKeys: apiKeySchema.extend({ secretHash: z.string().min(1).max(255), ...recorded }),
  pools: poolSchema.extend(recorded),
  contexts: contextSchema.extend(recorded),
  contextSnapshots: snapshotSchema,
  contextAccesses: accessSchema,
  maintenanceRuns: maintenanceRunSchema.extend({ progress: z.record(z.string(), z.unknown()), ...recorded }),
  facts: factSchema.extend({ ...recorded, trust }),
  auditEntries: auditEntrySchema,
} as const satisfies { readonly [C in Collection]: z.ZodObject };

export type BundleItems = { readonly [C in Collection]: z.output<(typeof BUNDLE_ITEMS)[C]> };
export type BundleItem = BundleItems[Collection];
