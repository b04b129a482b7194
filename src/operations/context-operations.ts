/** Contexts: containers of entries, with an access list, a log, copies and documents. */

import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  cloneContextInputSchema,
  cloneContextOutputSchema,
  contextBundleSchema,
  importContextInputSchema,
  importContextOutputSchema,
  type ContextBundle,
} from '../domain/context-bundle.ts';
import {
  contextAccessibilitySchema,
  contextAgentInputSchema,
  contextIdInputSchema,
  contextSchema,
  contextVersionInputSchema,
  createContextInputSchema,
  grantContextInputSchema,
  listAccessesInputSchema,
  listAccessesOutputSchema,
  listContextsInputSchema,
  listContextsOutputSchema,
  updateContextInputSchema,
  type Context,
} from '../domain/context.ts';
import { deleteOutputSchema } from '../domain/forget.ts';
import { operation } from './operation.ts';

const GROUP = 'Contexts';
const CONTEXTS = '/v1/memory/contexts';
const PATH = `${CONTEXTS}/{context_id}`;
const ABSENT = { output: null, code: 'NOT_FOUND' } as const;
const CONTEXT_ID = { contextId: 'atlas' };
const TIME = '2026-11-15T09:30:00.000Z';

const CONTEXT: Context = {
  ...CONTEXT_ID,
  ownerId: 'local',
  type: 'knowledge_base',
  scope: 'account',
  name: 'Project Atlas',
  metadata: {},
  access: { read: ['reviewer'], write: [], publicRead: false },
  status: 'active',
  version: 7,
  createdAt: TIME,
  updatedAt: TIME,
};

const { ownerId: _owner, status: _status, version: _version, createdAt: _at, updatedAt: _then, ...DESCRIBED } = CONTEXT;

const BUNDLE: ContextBundle = {
  format: BUNDLE_FORMAT,
  formatVersion: BUNDLE_VERSION,
  exportedAt: TIME,
  context: DESCRIBED,
  entries: [
    {
      key: 'database',
      content: 'Atlas runs on PostgreSQL 17.',
      entryType: 'decision',
      memoryType: 'factual',
      sourceType: 'agent',
      metadata: {},
      tags: [],
      importance: 0.8,
      confidence: 1,
      status: 'active',
      version: 1,
      editedBy: 'local',
      createdAt: TIME,
      updatedAt: TIME,
      versions: [],
    },
  ],
};

export const contextOperations = {
  'contexts.create': operation({
    group: GROUP,
    summary: 'Create a context.',
    description:
      'You own it, and nobody else sees it until you share it. Created by an agent, it belongs to that agent: your other ' +
      'agents need a grant too. An id that is taken is refused with 409.',
    input: createContextInputSchema,
    output: contextSchema,
    http: { method: 'POST', path: CONTEXTS, status: 201 },
    errors: ['VERSION_CONFLICT', 'FORBIDDEN'],
    isRepeatable: false,
    example: {
      input: { ...CONTEXT_ID, type: 'knowledge_base', name: 'Project Atlas', access: { read: ['reviewer'] } },
      output: CONTEXT,
    },
  }),
  'contexts.list': operation({
    group: GROUP,
    summary: 'List the contexts that you may read, newest first.',
    description:
      'Archived ones only if `status` asks for them. In an access list, anyone but the owner sees only themselves.',
    input: listContextsInputSchema,
    output: listContextsOutputSchema,
    http: { method: 'GET', path: CONTEXTS, status: 200 },
    example: { input: { type: 'knowledge_base' }, output: { contexts: [CONTEXT], count: 1, nextCursor: null } },
  }),
  'contexts.get': operation({
    group: GROUP,
    summary: 'Read a context, without its entries.',
    input: contextIdInputSchema,
    output: contextSchema,
    http: { method: 'GET', path: PATH, status: 200 },
    absent: ABSENT,
    example: { input: CONTEXT_ID, output: CONTEXT },
  }),
  'contexts.update': operation({
    group: GROUP,
    summary: 'Change parts of a context.',
    description: 'Only for the owner, and not while it is archived. Given fields replace the old ones.',
    input: updateContextInputSchema,
    output: contextSchema,
    http: { method: 'PUT', path: PATH, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { input: { ...CONTEXT_ID, name: 'Atlas' }, output: { ...CONTEXT, name: 'Atlas', version: 9 } },
  }),
  'contexts.delete': operation({
    group: GROUP,
    summary: 'Delete a context with its entries, their history, its snapshots and its log.',
    description: 'Only for the owner. An interrupted call leaves the context archived, and can be repeated.',
    input: contextVersionInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: PATH, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    errors: ['FORBIDDEN'],
    example: { input: CONTEXT_ID, output: { success: true } },
  }),
  'contexts.archive': operation({
    group: GROUP,
    summary: 'Archive a context: it can be read, but not written to.',
    input: contextVersionInputSchema,
    output: contextSchema,
    http: { method: 'POST', path: `${PATH}/archive`, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { input: CONTEXT_ID, output: { ...CONTEXT, status: 'archived', archivedAt: TIME, version: 12 } },
  }),
  'contexts.unarchive': operation({
    group: GROUP,
    summary: 'Unarchive a context.',
    input: contextVersionInputSchema,
    output: contextSchema,
    http: { method: 'POST', path: `${PATH}/unarchive`, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { input: CONTEXT_ID, output: { ...CONTEXT, version: 13 } },
  }),
  'contexts.grant': operation({
    group: GROUP,
    summary: 'Grant somebody read access to a context, or read and write access.',
    description:
      'Only for the owner. The id is that of a user (a person or an autonomous agent), or of one of the owner’s agents. ' +
      'Replaces an earlier level of the same id.',
    input: grantContextInputSchema,
    output: contextSchema,
    http: { method: 'PUT', path: `${PATH}/grants/{agent_id}`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LIMIT_EXCEEDED'],
    example: {
      input: { ...CONTEXT_ID, agentId: 'writer', level: 'write' },
      output: { ...CONTEXT, access: { read: ['reviewer'], write: ['writer'], publicRead: false }, version: 9 },
    },
  }),
  'contexts.revoke': operation({
    group: GROUP,
    summary: 'Revoke access to a context, at once.',
    description: 'Only for the owner. With `access.public_read`, everyone can still read it.',
    input: contextAgentInputSchema,
    output: contextSchema,
    http: { method: 'DELETE', path: `${PATH}/grants/{agent_id}`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: {
      input: { ...CONTEXT_ID, agentId: 'reviewer' },
      output: { ...CONTEXT, access: { read: [], write: [], publicRead: false }, version: 10 },
    },
  }),
  'contexts.accessibleBy': operation({
    group: GROUP,
    summary: 'Check whether somebody may read or write a context.',
    description: 'The owner may ask about anyone, everyone else about themselves.',
    input: contextAgentInputSchema,
    output: contextAccessibilitySchema,
    http: { method: 'GET', path: `${PATH}/accessible-by/{agent_id}`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: {
      input: { ...CONTEXT_ID, agentId: 'reviewer' },
      output: { ...CONTEXT_ID, agentId: 'reviewer', accessible: true, read: true, write: false },
    },
  }),
  'contexts.accesses': operation({
    group: GROUP,
    summary: 'Read the access log of a context, newest first.',
    description:
      'Only for the owner. Holds every permitted read and write of the context, its entries and its snapshots, including ' +
      'the owner’s; but not listing contexts or reading this log.',
    input: listAccessesInputSchema,
    output: listAccessesOutputSchema,
    http: { method: 'GET', path: `${PATH}/accesses`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: {
      input: { ...CONTEXT_ID, limit: 10 },
      output: {
        accesses: [
          {
            accessId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e91',
            actorId: 'reviewer',
            action: 'contextEntries.get',
            entryKey: 'database',
            at: TIME,
          },
        ],
        count: 1,
        nextCursor: null,
      },
    },
  }),
  'contexts.clone': operation({
    group: GROUP,
    summary: 'Copy a context into a new one of your own.',
    description:
      'Requires read access. Entries are copied as they are now, archived ones too, without their history; only you ' +
      'have access to the copy.',
    input: cloneContextInputSchema,
    output: cloneContextOutputSchema,
    http: { method: 'POST', path: `${PATH}/clone`, status: 201 },
    errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'LIMIT_EXCEEDED', 'EMBEDDING_FAILED'],
    isRepeatable: false,
    example: {
      input: { ...CONTEXT_ID, newContextId: 'atlas-2' },
      output: {
        context: { ...CONTEXT, contextId: 'atlas-2', access: { read: [], write: [], publicRead: false } },
        entryCount: 12,
      },
    },
  }),
  'contexts.export': operation({
    group: GROUP,
    summary: 'Export a context as one document: entries with all of their versions.',
    description: 'Requires read access. Only the owner gets the access list. Snapshots are not included.',
    input: contextIdInputSchema,
    output: contextBundleSchema,
    http: { method: 'GET', path: `${PATH}/export`, status: 200 },
    absent: ABSENT,
    errors: ['LIMIT_EXCEEDED'],
    example: { input: CONTEXT_ID, output: BUNDLE },
  }),
  'contexts.import': operation({
    group: GROUP,
    summary: 'Create a context from a document.',
    description:
      'Entries are imported in their latest version; earlier versions and the access list are not imported. If a context ' +
      'of yours already has the id, entries are overwritten by key and the others stay, so the same document can be sent ' +
      'twice. The id of somebody else’s context is refused with 409.',
    input: importContextInputSchema,
    output: importContextOutputSchema,
    http: { method: 'POST', path: `${CONTEXTS}/import`, status: 201 },
    errors: ['VERSION_CONFLICT', 'FORBIDDEN', 'CONTENT_TOO_LONG', 'LIMIT_EXCEEDED', 'EMBEDDING_FAILED'],
    example: {
      input: { contextId: 'atlas', bundle: BUNDLE },
      output: { context: CONTEXT, status: 'created', entries: { created: 1, updated: 0, unchanged: 0 } },
    },
  }),
} as const;
