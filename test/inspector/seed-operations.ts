/** What the operations page shows: other people's memory, keys in every state, and runs of maintenance. */

import type { Lamina } from '../../src/compose/lamina.ts';

/** Of a person who is erased in tests; the first two say the same. */
export const WILMA = 'wilma';

const OF_WILMA = [
  'Wilma takes the train to work on Mondays.',
  'Wilma takes the train to work on Monday.',
  'The garden shed needs a new roof before winter.',
];

export async function seedOperations(lamina: Lamina): Promise<void> {
  const wilma = lamina.as({ userId: WILMA });
  await wilma.addMany(OF_WILMA.map((content) => ({ content, layer: 'user' as const })));
  const admin = lamina.as({ userId: 'local', roles: ['admin'] });
  await admin.keys.create({ name: 'dashboard', userId: 'local', roles: ['admin'], expiresInDays: 30 });
  await admin.keys.create({ name: 'nightly import', userId: 'importer', agentId: 'crawler' });
  const { keyId } = await admin.keys.create({ name: 'old laptop', userId: WILMA, expiresInDays: 365 });
  await admin.keys.revoke({ keyId });
  await admin.maintenance.run({ job: 'integrity' });
  await admin.maintenance.run({ job: 'deduplication', dryRun: true });
}
