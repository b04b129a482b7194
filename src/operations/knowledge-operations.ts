/** Knowledge: entries that represent documents kept elsewhere. */

import { syncKnowledgeInputSchema, syncKnowledgeOutputSchema } from '../domain/knowledge.ts';
import { EXAMPLE_ENTRY } from './entry-operations.ts';
import { operation } from './operation.ts';

const ITEM = { sourceType: 'adr', sourceId: 'adr-042-database-selection' } as const;

export const knowledgeOperations = {
  'knowledge.sync': operation({
    group: 'Knowledge',
    summary: 'Sync entries with a set of decisions, policies, patterns or specifications.',
    description:
      'Send all items of the set as they are now. New items are added, changed ones are updated, and entries whose ' +
      'items are gone are marked as orphaned, not deleted. A second run with the same items changes nothing. Each entry ' +
      'has a `knowledge_pointer` to its item. All items are checked before anything is written.',
    input: syncKnowledgeInputSchema,
    output: syncKnowledgeOutputSchema,
    http: { method: 'POST', path: '/v1/memory/knowledge/sync', status: 200 },
    errors: ['CONTENT_TOO_LONG', 'EMBEDDING_FAILED'],
    example: {
      input: {
        set: 'decisions',
        layer: 'project',
        identifiers: { projectId: 'backend' },
        items: [
          {
            ...ITEM,
            title: 'Database selection',
            content: 'Use PostgreSQL for all new services.',
            tags: ['database'],
          },
        ],
      },
      output: {
        set: 'decisions',
        dryRun: false,
        counts: { created: 1, updated: 0, unchanged: 0, orphaned: 0 },
        items: [{ ...ITEM, status: 'created', id: EXAMPLE_ENTRY.id }],
        orphans: [],
      },
    },
  }),
} as const;
