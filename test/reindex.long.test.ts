/** `lamina reindex`: from one model to another and back, over a folder, with a double of the provider of both. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillCommand } from '../src/cli/model-change.ts';
import { callCli, type CalledCli } from './cli-caller.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

let folder: string;
let server: ModelServer;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  [folder, server] = await Promise.all([makeFolder(), startModelServer()]);
  environment = { ...server.environment, LAMINA_DATABASE_URL: `sqlite:${folder}` };
});
afterAll(async () => {
  server.close();
  await removeFolder(folder);
});

const call = (line: string): Promise<CalledCli> => callCli(line.split(' '), { environment });

async function answered<T>(line: string): Promise<T> {
  const { code, stdout, stderr } = await call(`${line} --json`);
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const NEW = { model: 'openai:hash-128', dimensions: 128 };
const OLD = { model: 'openai:hash-64', dimensions: 64 };

describe('lamina reindex', () => {
  it('changes the model step by step, and tells how it stands', { timeout: 30_000 }, async () => {
    for (const word of ['tea', 'coffee', 'cocoa']) {
      await answered(`add I-like-${word} --database sqlite:${folder}`);
    }
    expect(await answered('reindex status')).toMatchObject({ phase: 'unchanged', missing: 0, ...OLD });
    expect((await call('reindex cut-over')).stderr).toContain('not being changed');
    expect((await call('reindex')).stderr).toContain('lamina reindex qdrant');
    expect((await call('reindex --model hash-128 --url http://127.0.0.1:1')).stderr).toContain('name it by --database');
    expect((await call('reindex --model nothing')).stderr).toContain('EMBEDDING_FAILED');
    expect(await answered('reindex status')).toMatchObject({ phase: 'unchanged' });

    const begun = await answered<object>('reindex --model hash-128');
    expect(begun).toMatchObject({ phase: 'filling', active: OLD, other: NEW, filled: 3, missing: 0, queries: 3 });
    expect(JSON.stringify(begun)).not.toContain(server.environment['LAMINA_OPENAI_API_KEY']);
    expect(await answered('reindex --model hash-128')).toMatchObject({ filled: 0 });
    expect((await call('reindex --model hash-192')).stderr).toContain('lamina reindex cancel');
    await answered(`add I-like-milk --database sqlite:${folder}`);
    expect((await call('reindex status')).stdout).toContain('0 memories have no vector');

    expect(await answered('reindex cut-over')).toMatchObject({
      phase: 'cut_over',
      active: NEW,
      other: OLD,
      queries: 4,
    });
    const found = await answered<{ results: unknown[] }>(
      `search I-like-milk --mode semantic --threshold 0 --database sqlite:${folder}`,
    );
    expect(found.results.length).toBeGreaterThan(0);
    expect(await answered('reindex roll-back')).toMatchObject({ phase: 'filling', active: OLD });
    expect((await call('reindex finish')).stderr).toContain('was not cut over');
    expect((await call('reindex cut-over')).stdout).toContain('Searches use openai:hash-128 (128 dimensions) now.');
    expect(await answered('reindex finish')).toMatchObject({ phase: 'settled', active: NEW, dropped: 4 });
    expect(await answered('reindex status')).toMatchObject({ phase: 'settled', missing: 0, ...NEW });
    // The model of the configuration, which is not the one in use any more.
    expect(await answered('reindex --model hash-64')).toMatchObject({ phase: 'filling', active: NEW, filled: 4 });
  });

  it('says which endpoint does not answer, and how to go on', { timeout: 20_000 }, async () => {
    const { code, stderr } = await call('reindex --model other --base-url http://127.0.0.1:1/v1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^EMBEDDING_FAILED: .* The endpoint is http:\/\/127\.0\.0\.1:1\/v1\..*\nCheck --base-url/);
    const settings = { provider: 'openai', model: 'm', baseUrl: 'http://127.0.0.1:1/v1', dimensions: 64 };
    expect(fillCommand({ settings })).toBe(
      'lamina reindex --model m --embedder openai --base-url http://127.0.0.1:1/v1 --dimensions 64',
    );
  });

  it('has help with examples for each step', async () => {
    for (const step of ['', ' status', ' cut-over', ' roll-back', ' finish', ' cancel', ' qdrant']) {
      expect((await call(`help reindex${step}`)).stdout).toContain(`lamina reindex${step}`);
    }
  });
});
