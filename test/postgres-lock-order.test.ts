/** Everyone takes locks on entries before those on partitions: else writers who meet would wait for each other in a circle. */

import { expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { connect, describeOnPostgres, freshDatabase } from './postgres-server.ts';

const WAITING = `
  SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%lamina.entries%'`;

describeOnPostgres('a batch that changes one entry and adds another', () => {
  it('holds up nobody in the partition while it waits for the entry', async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    await using lamina = await Lamina.open({ database: url, embedder: new HashEmbedder() });
    const memory = lamina.as({ userId: 'u' });
    await memory.add({ content: 'tea', externalId: 'drink', layer: 'user' });

    const [other, observer] = await Promise.all([connect(url), connect(url)]);
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM lamina.entries FOR NO KEY UPDATE');
    const adding = memory.addMany([
      { content: 'bread', layer: 'user' },
      { content: 'coffee', externalId: 'drink', layer: 'user' },
    ]);
    const waiting = async (): Promise<unknown> => (await observer.query(WAITING)).rows[0]?.count;
    await expect.poll(waiting, { timeout: 5000 }).toBe(1);
    // As whoever removes or changes the entry does it next; it fails where the batch has it.
    const { rowCount } = await other.query('SELECT 1 FROM lamina.partitions FOR NO KEY UPDATE NOWAIT');
    await other.query('COMMIT');
    await Promise.all([other.end(), observer.end()]);

    expect(rowCount).toBe(1);
    expect((await adding).map(({ status }) => status)).toEqual(['created', 'updated']);
  });
});
