/** Contexts: containers that keep entries under keys, with an access list, snapshots and a log of who came. */

import { z } from 'zod';
import { entryId, identifier, isoTime, pathName } from './entry.ts';
import { recorded } from './record.ts';
import { accessControlSchema } from './sharing.ts';

export const CONTEXT_TYPES = ['agent_memory', 'knowledge_base', 'shared_context', 'tool_cache', 'project_context'] as const;
export const CONTEXT_SCOPES = ['agent', 'account', 'team', 'global'] as const;
export const CONTEXT_STATUSES = ['active', 'archived'] as const;

/** A context as it is stored. Its entries are entries of its owner's, in a scope that names the context. */
export const contextSchema = z
  .strictObject({
    contextId: pathName,
    ownerId: z.string().describe('The user who made it, and who alone manages it.'),
    agentId: identifier.optional().describe('The agent of that user to whom it belongs.'),
    type: z.enum(CONTEXT_TYPES),
    scope: z.enum(CONTEXT_SCOPES),
    scopeId: identifier.optional().describe('The team or agent.'),
    name: z.string().max(255).optional(),
    description: z.string().max(4096).optional(),
    metadata: z.record(z.string(), z.unknown()),
    access: accessControlSchema,
    status: z.enum(CONTEXT_STATUSES),
    archivedAt: isoTime.optional(),
    ...recorded,
  })
  .describe('A context: a container of entries under keys.');

export type Context = z.output<typeof contextSchema>;

/** A context with whom the database lets see it: see {@link membersOf}. */
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

/** A snapshot as it is stored; it is its context's owner's. */
export interface SnapshotRecord {
  readonly snapshotId: string;
  readonly contextId: string;
  readonly ownerId: string;
  readonly name?: string;
  /** Why it was made, where somebody did not ask for it: before a restore. */
  readonly reason?: string;
  readonly createdBy: string;
  readonly items: readonly SnapshotItem[];
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** That somebody read or wrote in a context; it is its context's owner's. */
export interface ContextAccessRecord {
  readonly accessId: string;
  readonly contextId: string;
  readonly ownerId: string;
  readonly actorId: string;
  readonly agentId?: string;
  readonly action: string;
  readonly entryKey?: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}
