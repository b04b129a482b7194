/** What travels to and from the memory entity, as schemas of Effect. */

import { Schema } from 'effect';
import { MEMORY_SCOPES, MEMORY_SOURCES, MEMORY_TIERS, SENSITIVITY_LEVELS } from '../domain/memory-item.ts';

/** What is known, or what happened. */
export const MemoryTier = Schema.Literals(MEMORY_TIERS);
export type MemoryTier = typeof MemoryTier.Type;

/** Of one session, of one project, or of the agent wherever it works. */
export const MemoryScope = Schema.Literals(MEMORY_SCOPES);
export type MemoryScope = typeof MemoryScope.Type;

/** Where it comes from. */
export const MemorySource = Schema.Literals(MEMORY_SOURCES);
export type MemorySource = typeof MemorySource.Type;

/** Who may see it; default `Internal`. */
export const SensitivityLevel = Schema.Literals(SENSITIVITY_LEVELS);
export type SensitivityLevel = typeof SensitivityLevel.Type;

/** The id of an item: that of the entry which it is. */
export const MemoryItemId = Schema.String.pipe(Schema.brand('MemoryItemId'));
export type MemoryItemId = typeof MemoryItemId.Type;

/** Something to store. Ids of sessions and turns are texts of yours; `metadataJson` is the text of a JSON object. */
export const StoreItemInput = Schema.Struct({
  tier: MemoryTier,
  scope: MemoryScope,
  source: MemorySource,
  content: Schema.String,
  metadataJson: Schema.optional(Schema.String),
  generatedByTurnId: Schema.optional(Schema.String),
  /** Required for `SessionScope`. */
  sessionId: Schema.optional(Schema.String),
  sensitivity: Schema.optional(SensitivityLevel),
});
export type StoreItemInput = typeof StoreItemInput.Type;

/** An item as it is remembered: a row with every column. Times are `DateTime.Utc`, and travel as ISO 8601 text. */
export class MemoryItemRecord extends Schema.Class<MemoryItemRecord>('lamina/effect/MemoryItemRecord')({
  memoryItemId: MemoryItemId,
  agentId: Schema.String,
  tier: MemoryTier,
  scope: MemoryScope,
  source: MemorySource,
  content: Schema.String,
  metadataJson: Schema.NullOr(Schema.String),
  generatedByTurnId: Schema.NullOr(Schema.String),
  sessionId: Schema.NullOr(Schema.String),
  sensitivity: SensitivityLevel,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
}) {}

/** The ids of what was stored, in the order of the items. */
export class StoreResult extends Schema.Class<StoreResult>('lamina/effect/StoreResult')({
  storedIds: Schema.Array(MemoryItemId),
}) {}

/** How many items were forgotten, with the memories and facts that were made from them. */
export class ForgetResult extends Schema.Class<ForgetResult>('lamina/effect/ForgetResult')({
  deletedCount: Schema.Number,
}) {}

/** Which items of the agent; by default all of them. */
export const filterFields = {
  tier: Schema.optional(MemoryTier),
  scope: Schema.optional(MemoryScope),
  limit: Schema.optional(Schema.Number),
  /** Only what names this session, whatever its scope. */
  sessionId: Schema.optional(Schema.String),
};

/** What to forget: all given conditions must hold, and at least one is required. */
export const forgetFields = {
  cutoffDate: Schema.optional(Schema.DateTimeUtcFromString),
  scope: Schema.optional(MemoryScope),
  itemIds: Schema.optional(Schema.Array(MemoryItemId)),
  sessionId: Schema.optional(Schema.String),
};

export type ItemFilters = Schema.Struct.Type<typeof filterFields>;
export type ForgetFilters = Schema.Struct.Type<typeof forgetFields>;
