/** Export and import of a tenant, page by page. */

import {
  exportPageInputSchema,
  exportPageOutputSchema,
  importPageInputSchema,
  importPageOutputSchema,
} from '../domain/bundle.ts';
import { operation } from './operation.ts';

const GROUP = 'Administration';
const USER = { id: 'alice', createdAt: '2026-11-15T09:30:00.000Z' };

export const bundleOperations = {
  'admin.exportPage': operation({
    group: GROUP,
    summary: 'Export your own tenant, page by page.',
    description:
      'The items of a bundle, of all users, one collection after another: each page holds items of one collection. Continue ' +
      'with `next_cursor` until it is null. It is not a snapshot: what is written meanwhile may or may not be included. API ' +
      'keys and the audit log are left out. `lamina export --url` turns the pages into a bundle.',
    input: exportPageInputSchema,
    output: exportPageOutputSchema,
    http: { method: 'GET', path: '/v1/memory/admin/export', status: 200 },
    example: {
      input: { limit: 100 },
      output: {
        tenantId: '6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11',
        collection: 'users',
        items: [USER],
        counts: { users: 1, entries: 12 },
        latestVersion: 40,
        nextCursor: 'WyJleHBvcnQiLCJ1c2VycyIsWyJhbGljZSJdXQ',
      },
    },
  }),
  'admin.importPage': operation({
    group: GROUP,
    summary: 'Import items of a bundle into your own tenant.',
    description:
      'All items of one call belong to one collection, in bundle order, and are imported all or none. Items whose identity ' +
      'already exists are skipped, so a page can be sent twice. Vectors of models other than the one in use are left out; ' +
      'entries without a vector of that model are embedded. API keys and the audit log are refused. `lamina import --url` ' +
      'imports a whole bundle.',
    input: importPageInputSchema,
    output: importPageOutputSchema,
    http: { method: 'POST', path: '/v1/memory/admin/import', status: 200 },
    errors: ['EMBEDDING_FAILED', 'MISSING_IDENTIFIER'],
    example: {
      input: { collection: 'users', items: [USER] },
      output: { receivedCount: 1, embeddedCount: 0 },
    },
  }),
} as const;
