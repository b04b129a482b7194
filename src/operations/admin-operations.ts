/** Administration: keys, and erasure of people and tenants. */

import {
  createKeyInputSchema,
  createKeyOutputSchema,
  listKeysInputSchema,
  listKeysOutputSchema,
  revokeKeyInputSchema,
  revokeKeyOutputSchema,
  type ApiKey,
} from '../domain/api-key.ts';
import {
  auditInputSchema,
  auditOutputSchema,
  verifyAuditInputSchema,
  verifyAuditOutputSchema,
} from '../domain/audit.ts';
import {
  eraseTenantInputSchema,
  eraseUserInputSchema,
  NOTHING_COUNTED,
  receiptSchema,
  verifyErasureInputSchema,
  verifyErasureOutputSchema,
  type Receipt,
} from '../domain/erasure.ts';
import { operation } from './operation.ts';

const GROUP = 'Administration';
const ERASURE_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e99';
const TIME = '2026-11-15T09:30:00.000Z';
const HEAD = '7d2c4b6a8f0e1d3c5b7a9f8e6d4c2b0a1f3e5d7c9b8a6f4e2d0c1b3a5f7e9d8c';
const TENANT_ID = '6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11';

const EXAMPLE_KEY: ApiKey = {
  keyId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e77',
  name: 'nightly import',
  userId: 'importer',
  roles: ['member'],
  expiresAt: '2027-02-13T09:30:00.000Z',
  version: 1,
  createdAt: TIME,
  updatedAt: TIME,
};

const USER_RECEIPT: Receipt = {
  erasureId: ERASURE_ID,
  subject: 'user',
  subjectHash: '522b276a356bdf39013dfabea2cd43e141ecc9e8e5e4b4a4f4d6c1e7c9f0a7d2',
  counts: { ...NOTHING_COUNTED, entries: 12, versions: 3, embeddings: 12, events: 15, sessions: 1, users: 1 },
  completedAt: TIME,
  hash: '9b0c2f6b8e1d4a7795c3b2a1908f7e6d5c4b3a291807f6e5d4c3b2a1908f7e11',
};

const TENANT_RECEIPT: Receipt = { ...USER_RECEIPT, subject: 'tenant' };

export const adminOperations = {
  'keys.create': operation({
    group: GROUP,
    summary: 'Create an API key.',
    description:
      'It acts as the named user of your own tenant. The response shows the key once; only its hash is stored. ' +
      'Send it as `Authorization: Bearer lam_…` or `X-API-Key: lam_…`.',
    input: createKeyInputSchema,
    output: createKeyOutputSchema,
    http: { method: 'POST', path: '/v1/memory/admin/keys', status: 201 },
    isRepeatable: false,
    example: {
      input: { name: 'nightly import', userId: 'importer', expiresInDays: 90 },
      output: {
        key: 'lam_bxyaUjwOTFWde0_TzwD5oRGZCy5vOnzBnVQ7eh8MLnc_Zk3s1yq0WqJY5mXn2tVbR8uLhGf4dSa7pOiUyTrEwQk',
        ...EXAMPLE_KEY,
      },
    },
  }),
  'keys.list': operation({
    group: GROUP,
    summary: 'List the API keys of the tenant, newest first.',
    input: listKeysInputSchema,
    output: listKeysOutputSchema,
    http: { method: 'GET', path: '/v1/memory/admin/keys', status: 200 },
    example: { input: { limit: 10 }, output: { keys: [EXAMPLE_KEY], count: 1, nextCursor: null } },
  }),
  'keys.revoke': operation({
    group: GROUP,
    summary: 'Revoke an API key, at once.',
    description: 'It stays in the list. Revoking it again changes nothing.',
    input: revokeKeyInputSchema,
    output: revokeKeyOutputSchema,
    http: { method: 'DELETE', path: '/v1/memory/admin/keys/{key_id}', status: 204 },
    empty: { revoked: true },
    absent: { output: { revoked: false }, code: 'NOT_FOUND' },
    example: { input: { keyId: EXAMPLE_KEY.keyId }, output: { revoked: true } },
  }),
  'admin.eraseUser': operation({
    group: GROUP,
    summary: 'Erase a user and everything that belongs to them.',
    description:
      'Removes the entries of the user in every layer with their versions, vectors, index entries and events; plans with ' +
      'their contexts, task contexts and working memory; sessions; API keys. Knowledge that belongs to a layer stays, ' +
      'without the name. Returns a receipt that names nobody; if all of its counts are zero, there was no such user.',
    input: eraseUserInputSchema,
    output: receiptSchema,
    http: { method: 'DELETE', path: '/v1/memory/admin/users/{user_id}', status: 200 },
    isRepeatable: false,
    example: { input: { userId: 'alice' }, output: USER_RECEIPT },
  }),
  'admin.eraseTenant': operation({
    group: GROUP,
    summary: 'Erase your own tenant and everything in it.',
    description: 'Deletes all of its data, including its audit log. The next write creates it again.',
    input: eraseTenantInputSchema,
    output: receiptSchema,
    http: { method: 'DELETE', path: '/v1/memory/admin/tenants/{tenant_id}', status: 200 },
    isRepeatable: false,
    example: { input: { tenantId: TENANT_ID }, output: TENANT_RECEIPT },
  }),
  'admin.verifyErasure': operation({
    group: GROUP,
    summary: 'Verify that nothing is left of an erased user or tenant.',
    description: 'Counts again. Name who was erased: the log keeps no names, so it can only compare hashes.',
    input: verifyErasureInputSchema,
    output: verifyErasureOutputSchema,
    http: { method: 'GET', path: '/v1/memory/admin/erasures/{erasure_id}', status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: {
      input: { erasureId: ERASURE_ID, userId: 'alice' },
      output: { erasureId: ERASURE_ID, verified: true, remaining: NOTHING_COUNTED, checkedAt: TIME },
    },
  }),
  'admin.audit': operation({
    group: GROUP,
    summary: 'Read what administrators did in the tenant, newest first.',
    input: auditInputSchema,
    output: auditOutputSchema,
    http: { method: 'GET', path: '/v1/memory/admin/audit', status: 200 },
    example: {
      input: { limit: 10 },
      output: {
        entries: [
          {
            id: ERASURE_ID,
            action: 'users.erase',
            actor: 'admin',
            at: TIME,
            receipt: USER_RECEIPT,
            sequence: 7,
            previous: '5e1f0a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7',
            hash: HEAD,
          },
        ],
        count: 1,
        nextCursor: null,
      },
    },
  }),
  'admin.verifyAudit': operation({
    group: GROUP,
    summary: 'Verify that the audit log has not been altered.',
    description:
      'Each entry carries the hash of the one before it. Reports the first that was changed, removed or inserted. Pass a head ' +
      'that you kept elsewhere to detect whether the end was cut off.',
    input: verifyAuditInputSchema,
    output: verifyAuditOutputSchema,
    http: { method: 'GET', path: '/v1/memory/admin/audit/verification', status: 200 },
    example: { input: { head: HEAD }, output: { ok: true, entries: 7, before: 0, head: HEAD } },
  }),
} as const;
