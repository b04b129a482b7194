/** `lamina serve` from start to stop: the two commands of the README, as a machine would run them. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaminaProcess } from './lamina-process.ts';

const STARTING_MS = 60_000;

let folder: string;
const started: LaminaProcess[] = [];

function start(...flags: string[]): LaminaProcess {
  const lamina = new LaminaProcess(['serve', '--port', '0', ...flags], folder);
  started.push(lamina);
  return lamina;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lamina-serve-'));
});

afterEach(async () => {
  for (const lamina of started.splice(0)) {
    lamina.child.kill('SIGKILL');
    await lamina.ended();
  }
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the service says, each test looks at its own part
  readonly body: any;
}

async function call(url: string, body?: object): Promise<Answer> {
  const post = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, post);
  return { status: response.status, body: await response.json() };
}

const TEA = { content: 'I prefer tea to coffee in the afternoon', layer: 'user' };

describe('lamina serve', () => {
  it(
    'stores a memory, finds it again, stops on SIGTERM, and still has it after the next start',
    async () => {
      const lamina = start();
      const url = await lamina.listening();
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await call(`${url}/health`)).toMatchObject({ status: 200, body: { status: 'healthy' } });

      const added = await call(`${url}/v1/memory/entries`, TEA);
      expect(added).toMatchObject({ status: 201, body: { status: 'created', embedding_generated: true } });
      const search = { query: 'which hot drink does the user like?', layers: ['user'], limit: 1 };
      const found = await call(`${url}/v1/memory/entries/search`, search);
      expect(found).toMatchObject({ status: 200, body: { results: [{ memory: { id: added.body.memory.id } }] } });

      lamina.child.kill('SIGTERM');
      expect((await lamina.ended()).code).toBe(0);
      expect(existsSync(join(folder, 'lamina-data'))).toBe(true);

      const next = start();
      const again = await call(`${await next.listening()}/v1/memory/entries/${added.body.memory.id}`);
      expect(again).toMatchObject({ status: 200, body: { memory: { content: TEA.content } } });
      next.child.kill('SIGINT');
      expect((await next.ended()).code).toBe(0);
    },
    STARTING_MS,
  );

  it(
    'logs JSON lines, at the level that is asked for, and no content',
    async () => {
      const lamina = start('--log-level', 'debug');
      const url = await lamina.listening();
      await call(`${url}/v1/memory/entries/search`, { query: 'a very private question', mode: 'keyword' });
      lamina.child.kill('SIGTERM');
      const { stdout, stderr } = await lamina.ended();
      expect(stderr).toBe('');
      const lines = stdout.trim().split('\n');
      for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
      expect(lines.length).toBeGreaterThanOrEqual(2);
      expect(stdout).not.toContain('private question');
    },
    STARTING_MS,
  );

  it(
    'puts data where it is told to',
    async () => {
      const lamina = start('--database-url', 'sqlite:./elsewhere/deep');
      await call(`${await lamina.listening()}/v1/memory/entries`, TEA);
      expect(existsSync(join(folder, 'elsewhere/deep'))).toBe(true);
      expect(existsSync(join(folder, 'lamina-data'))).toBe(false);
    },
    STARTING_MS,
  );

  it(
    'finishes what is under way when it is told to stop',
    async () => {
      const lamina = start();
      const url = await lamina.listening();
      const writes = Array.from({ length: 20 }, (_, index) =>
        call(`${url}/v1/memory/entries`, { ...TEA, content: `Note number ${index}` }).then(
          (answer) => answer,
          () => undefined,
        ),
      );
      await writes[0];
      lamina.child.kill('SIGTERM');
      const acknowledged = (await Promise.all(writes)).filter((answer) => answer?.status === 201);
      expect((await lamina.ended()).code).toBe(0);
      expect(acknowledged.length).toBeGreaterThan(0);

      const next = await start().listening();
      const { body } = await call(`${next}/v1/memory/entries?layer=user&limit=100`);
      const stored = new Set((body.memories as { id: string }[]).map(({ id }) => id));
      expect(acknowledged.filter((answer) => !stored.has(answer?.body.memory.id))).toEqual([]);
    },
    STARTING_MS,
  );
});
