/** Contexts: containers that keep entries under keys, with an access list, snapshots and an access log. */

import { z } from 'zod';
import { entryId, identifier, isoTime, pathName } from './entry.ts';
import { expected, page, paged, payload, recorded } from './record.ts';
import { ACCESS_LEVELS, accessControlSchema, accessInputSchema } from './sharing.ts';

const CONTEXT_TYPES = ['agent_memory', 'knowledge_base', 'shared_context', 'tool_cache', 'project_context'] as const;
const CONTEXT_SCOPES = ['agent', 'account', 'team', 'global'] as const;
export const CONTEXT_STATUSES = ['active', 'archived'] as const;

const name = z.string().min(1).max(255);
const description = z.string().min(1).max(4096);
const scopeId = identifier.describe('The team or agent.');

/** A context as it is stored. Its entries belong to its owner, in a scope that names the context. */
export const contextSchema = z
  .strictObject({
    contextId: pathName,
    ownerId: z.string().describe('The user who created it and who alone manages it.'),
    agentId: identifier.optional().describe('The agent of that user that it belongs to.'),
    type: z.enum(CONTEXT_TYPES),
    scope: z.enum(CONTEXT_SCOPES).describe('What it is about. Only the access list decides who may read it.'),
    scopeId: scopeId.optional(),
    name: name.optional(),
    description: description.optional(),
    metadata: payload,
    access: accessControlSchema,
    status: z.enum(CONTEXT_STATUSES).describe('An archived context can be read, but not written to.'),
    archivedAt: isoTime.optional(),
    ...recorded,
  })
  .describe('A context: a container of entries under keys.');

export type Context = z.output<typeof contextSchema>;

/** A context with the members that the database lets see it: see {@link membersOf}. */
export interface ContextRecord extends Context {
  readonly members: readonly string[];
}

/** Which version each entry of a context had at one moment. The text stays with the entries: deleted is deleted. */
export const snapshotItemSchema = z.strictObject({
  entryId,
  key: z.string(),
  version: z.int(),
  contentHash: z.string(),
  isArchived: z.boolean(),
});

export type SnapshotItem = z.output<typeof snapshotItemSchema>;

/** A snapshot as it is stored; it belongs to the owner of its context. */
export interface SnapshotRecord {
  readonly snapshotId: string;
  readonly contextId: string;
  readonly ownerId: string;
  readonly name?: string;
  /** Why it was taken automatically: before a restore. */
  readonly reason?: string;
  readonly createdBy: string;
  readonly items: readonly SnapshotItem[];
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A read or write in a context; it belongs to the owner of the context. */
export interface ContextAccessRecord {
  readonly accessId: string;
  readonly contextId: string;
  readonly ownerId: string;
  readonly actorId: string;
  readonly agentId?: string;
  readonly action: string;
  /** Or else a snapshot, or who was granted or lost access. */
  readonly entryKey?: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const contextIdInputSchema = z.strictObject({ contextId: pathName });

export const createContextInputSchema = z.strictObject({
  contextId: pathName.optional().describe('Default: a new one.'),
  agentId: identifier.optional().describe('The agent of yours that it belongs to. Default: the calling agent.'),
  type: z.enum(CONTEXT_TYPES),
  scope: z.enum(CONTEXT_SCOPES).optional().describe('Default agent if it belongs to an agent, else account.'),
  scopeId: scopeId.optional().describe('The team or agent. Default: the agent that it belongs to.'),
  name: name.optional(),
  description: description.optional(),
  metadata: payload.optional(),
  access: accessInputSchema.optional().describe('Who besides you may read and write it. Default: nobody.'),
});

export type CreateContextInput = z.output<typeof createContextInputSchema>;

export const listContextsInputSchema = z.strictObject({
  type: z.enum(CONTEXT_TYPES).optional(),
  scope: z.enum(CONTEXT_SCOPES).optional(),
  scopeId: scopeId.optional(),
  status: z
    .enum([...CONTEXT_STATUSES, 'all'])
    .optional()
    .describe('Active, archived or both. Default active.'),
  ...paged,
});

export type ListContextsInput = z.output<typeof listContextsInputSchema>;

export const listContextsOutputSchema = z.strictObject({
  contexts: z.array(contextSchema).describe('Newest first.'),
  ...page,
});

export type ListContextsOutput = z.output<typeof listContextsOutputSchema>;

export const updateContextInputSchema = z.strictObject({
  contextId: pathName,
  name: name.optional(),
  description: description.optional(),
  metadata: payload.optional(),
  access: accessInputSchema.optional().describe('Replaces the whole list.'),
  ...expected,
});

export type UpdateContextInput = z.output<typeof updateContextInputSchema>;

export const contextVersionInputSchema = contextIdInputSchema.extend(expected);

export type ContextVersionInput = z.output<typeof contextVersionInputSchema>;

const agentId = pathName.describe("A user (a person or an autonomous agent), or one of the owner's agents.");

export const contextAgentInputSchema = contextIdInputSchema.extend({ agentId });

export type ContextAgentInput = z.output<typeof contextAgentInputSchema>;

export const grantContextInputSchema = contextAgentInputSchema.extend({
  level: z.enum(ACCESS_LEVELS).describe('write includes read.'),
});

export type GrantContextInput = z.output<typeof grantContextInputSchema>;

export const contextAccessibilitySchema = z.strictObject({
  contextId: pathName,
  agentId,
  accessible: z.boolean().describe('Whether it has any access.'),
  read: z.boolean(),
  write: z.boolean(),
});

export type ContextAccessibility = z.output<typeof contextAccessibilitySchema>;

const contextAccessSchema = z
  .strictObject({
    accessId: entryId,
    actorId: z.string().describe('The user who accessed it.'),
    agentId: identifier.optional().describe('The agent that acted for that user.'),
    action: z.string().describe('The operation.'),
    entryKey: z
      .string()
      .optional()
      .describe('What was accessed: the key of an entry, the id of a snapshot, or who was granted or lost access.'),
    at: isoTime,
  })
  .describe('A read or write in a context.');

export type ContextAccess = z.output<typeof contextAccessSchema>;

export const listAccessesInputSchema = contextIdInputSchema.extend(paged);

export type ListAccessesInput = z.output<typeof listAccessesInputSchema>;

export const listAccessesOutputSchema = z.strictObject({
  accesses: z.array(contextAccessSchema).describe('Newest first.'),
  ...page,
});

export type ListAccessesOutput = z.output<typeof listAccessesOutputSchema>;
