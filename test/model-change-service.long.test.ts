/** Two services on one database while `lamina reindex` changes the model, is killed, and goes on; as users would do it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LaminaClient } from '../src/client/lamina-client.ts';
import { openEngine } from '../src/compose/engines.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { LaminaProcess } from './lamina-process.ts';
import { ModelLoad } from './model-load.ts';
import { startModelServer } from './model-server.ts';
import { describeOnPostgres, freshDatabase } from './postgres-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const OLD = { model: 'openai:hash-256', dimensions: 256 };
const NEW = { model: 'openai:hash-320', dimensions: 320 };
const SEEDS = 1500;

function underService(database: (folder: string) => Promise<string>): void {
  it('loses nothing, and answers all the while', { timeout: 240_000 }, async () => {
    const [folder, models] = await Promise.all([makeFolder(), startModelServer()]);
    onTestFinished(async () => {
      models.close();
      await removeFolder(folder);
    });
    const databaseUrl = await database(folder);
    const environment = {
      ...models.environment,
      LAMINA_EMBEDDING_MODEL: 'hash-256',
      LAMINA_DATABASE_URL: databaseUrl,
    };
    const services: LaminaProcess[] = [];
    const serve = async (): Promise<LaminaClient> => {
      const service = new LaminaProcess(['serve', '--port', '0'], folder, environment);
      services.push(service);
      onTestFinished(async () => {
        service.child.kill('SIGKILL');
        await service.ended();
      });
      return new LaminaClient({ url: await service.listening() });
    };
    const clients = [await serve(), await serve()];
    const load = new ModelLoad(clients.map((client, who) => client.as({ userId: `u${who}` })));
    await load.seed(SEEDS);
    load.start();

    const reindex = (line: string): LaminaProcess =>
      new LaminaProcess(['reindex', ...line.split(' '), '--json'], folder, environment);
    const answered = async (line: string): Promise<Record<string, unknown>> => {
      const { code, stdout, stderr } = await reindex(line).ended();
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
      return JSON.parse(stdout) as Record<string, unknown>;
    };

    const engine = await openEngine({ databaseUrl });
    onTestFinished(() => engine.close());
    const missing = (): Promise<number> => engine.spaces.countUnembedded(NIL_TENANT, NEW);
    models.delayMs = 300;
    const killed = reindex('--model hash-320');
    while ((await engine.spaces.read()) === undefined || (await missing()) > SEEDS - 256) await sleep(50);
    killed.child.kill('SIGKILL');
    await killed.ended();
    const left = await missing();
    expect(left).toBeGreaterThan(0);
    models.delayMs = 0;

    const filled = await answered('--model hash-320');
    expect(filled).toMatchObject({ phase: 'filling', active: OLD, other: NEW, missing: 0 });
    // A handful more for those who were not told yet when it was begun.
    expect(Number(filled['filled'])).toBeLessThan(left + 500);
    expect(await answered('cut-over')).toMatchObject({ phase: 'cut_over', active: NEW });
    const searchesBefore = load.searches;
    await expect.poll(() => load.searches > searchesBefore + 20, { timeout: 20_000 }).toBe(true);
    for (const client of clients) {
      await expect
        .poll(async () => (await client.health()).components['embedder']?.message, { timeout: 5000 })
        .toContain('openai:hash-320');
    }
    expect(await answered('roll-back')).toMatchObject({ phase: 'filling', active: OLD });
    expect(await answered('cut-over')).toMatchObject({ phase: 'cut_over', active: NEW });
    // One that is started with the former configuration follows the database.
    const late = (await serve()).as({ userId: 'u0' });
    const { results } = await late.search({
      query: 'seed',
      identifiers: { projectId: 'p' },
      includeEmbeddings: true,
      threshold: 0,
    });
    expect(results[0]?.memory.embedding).toHaveLength(320);
    expect(services.at(-1)?.stderr).toContain('LaminaWarning');
    expect(await answered('finish')).toMatchObject({ phase: 'settled', active: NEW });
    await sleep(500);
    await load.stop();

    expect(await missing()).toBe(0);
    expect(await engine.upkeep.countPoints(NIL_TENANT, NEW)).toBe(load.contents.size);
    expect(await engine.upkeep.countPoints(NIL_TENANT, OLD)).toBe(0);
  });
}

describe('services on SQLite', () => {
  underService(async (folder) => `sqlite:${folder}/data`);
});

describeOnPostgres('services on PostgreSQL', () => {
  underService(async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    return url;
  });
});
