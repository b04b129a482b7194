/** `lamina bench recall`: runs on real engines, the same each time; interrupted, killed and resumed; and what it refuses. */

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FOREIGN } from '../src/cli/bench/answerability.ts';
import { Interrupted } from '../src/cli/bench/asker.ts';
import { readDataset } from '../src/cli/bench/recall-dataset.ts';
import { recallReport, recallReportSchema, type RunConfiguration } from '../src/cli/bench/recall-report.ts';
import type { RecallResult } from '../src/cli/bench/recall-result.ts';
import { makeRunFolder, RunFolder } from '../src/cli/bench/run-folder.ts';
import { runRecall, type RunOptions } from '../src/cli/bench/run-recall.ts';
import { parseConfiguration } from '../src/compose/configuration.ts';
import { openMeasuredMemory } from '../src/compose/measured-memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { callCli } from './cli-caller.ts';
import { LaminaProcess, runLamina } from './lamina-process.ts';
import { describeOnPostgres, freshDatabase } from './postgres-server.ts';
import { locomoFile, longLocomoFile, longMemEvalFile, writeJson } from './recall-dataset-files.ts';

let folder: string;
let locomo: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lamina-bench-test-'));
  locomo = await writeJson(folder, 'locomo.json', locomoFile());
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const CUTS = [1, 5];
const DESCRIPTION = { cuts: CUTS };

/** In this process, with a model that needs no loading. Everything that takes time is left out of what it gives. */
async function run(
  name: string,
  options: Partial<RunOptions> & { databaseUrl?: string } = {},
): Promise<RecallResult[]> {
  const path = join(folder, name);
  await makeRunFolder(path);
  const { databaseUrl = `sqlite:${join(path, 'memory')}`, ...rest } = options;
  const { cases } = await readDataset('locomo', locomo);
  const memory = await openMeasuredMemory(parseConfiguration({ flags: { databaseUrl } }), new HashEmbedder());
  try {
    const runFolder = await RunFolder.open(path, DESCRIPTION);
    const results = await runRecall(memory, cases, runFolder, {
      modes: ['default', 'text', 'vector', 'fusion'],
      limit: 5,
      progress: () => {},
      signal: new AbortController().signal,
      ...rest,
    });
    return results.map((result) => ({
      ...result,
      questions: result.questions.map((question) => ({ ...question, durations: {} })),
    }));
  } finally {
    await memory.close();
  }
}

describe('a run', () => {
  it('finds what was said, tells its progress, and is the same each time', async () => {
    const progress: number[] = [];
    const first = await run('one', { progress: (done, total) => progress.push(done / total) });
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const [harbour] = first;
    expect(harbour?.questions[1]).toMatchObject({
      id: 'harbour/2',
      answers: { default: { turns: [1], sessions: [1] }, text: { turns: [1] }, fusion: { turns: [1] } },
    });
    expect(harbour?.questions.filter(({ isForeign }) => isForeign).map(({ id }) => id)).toEqual([
      'orchard/1',
      'orchard/2',
    ]);
    expect(await run('two')).toEqual(first);
  });

  it('that was interrupted goes on where it was, and comes to the same', async () => {
    const whole = await run('whole');
    const stop = new AbortController();
    let after = 0;
    const interrupted = run('parts', {
      signal: stop.signal,
      // Within the second conversation, when some of it is remembered.
      progress: (_done, _total, label) => label.startsWith('conversation 2') && stop.abort(),
    });
    await expect(interrupted).rejects.toBeInstanceOf(Interrupted);
    expect((await readdir(join(folder, 'parts'))).toSorted()).toEqual(['conversation-0001.json', 'memory', 'run.json']);
    const resumed = await run('parts', { progress: () => (after += 1) });
    expect(resumed).toEqual(whole);
    // The first conversation took one step, not its dozens.
    expect(after).toBeLessThan(20);
  });

  it('does not mix with another run, nor with anything else', async () => {
    await run('mine');
    const other = RunFolder.open(join(folder, 'mine'), { cuts: [1, 5, 10] });
    await expect(other).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('cuts (there [1,5], here [1,5,10])'),
    });
    await writeFile(join(folder, 'mine', 'conversation-0001.json'), '{"name": "harbour", "questions": [{}]}');
    await expect(run('mine')).rejects.toMatchObject({ message: expect.stringContaining('was changed') });
    await expect(makeRunFolder(folder)).rejects.toMatchObject({ message: expect.stringContaining('locomo.json') });
  });
});

describeOnPostgres('a run on PostgreSQL', () => {
  it('finds the same', async () => {
    const { url, drop } = await freshDatabase();
    try {
      const ranks = (results: RecallResult[]) =>
        results.flatMap(({ questions }) => questions.map(({ id, answers }) => ({ id, answers })));
      expect(ranks(await run('postgres', { databaseUrl: url }))).toEqual(ranks(await run('sqlite')));
    } finally {
      await drop();
    }
  });
});

it('counts questions without an answer apart', async () => {
  const configuration: RunConfiguration = {
    version: '0.0.0',
    dataset: { name: 'locomo', sha256: '', conversations: 2, turns: 10, questions: 8 },
    engine: 'sqlite',
    embedder: { model: 'test', dimensions: 64, calibration: { mean: 0, deviation: 1 } },
    ranking: {},
    cuts: CUTS,
    modes: ['default'],
    categories: ['adversarial', 'multi-hop', 'open-domain', 'single-hop', 'temporal'],
  };
  const report = recallReport(configuration, await run('counted'));
  const counts = Object.entries(report.turns).map(([name, { default: figures }]) => [name, figures?.questions]);
  expect(counts).toEqual([
    ['overall', 6],
    ['adversarial', 1],
    ['multi-hop', 1],
    // Nothing is named that should be found.
    ['open-domain', 0],
    ['single-hop', 4],
    ['temporal', 1],
  ]);
  expect(report.answerability.answerable.questions).toBe(7);
  expect(report.answerability.unanswerable).toMatchObject({
    adversarial: { questions: 1 },
    [FOREIGN]: { questions: 6 },
  });
});

describe('the command', () => {
  const TIMEOUT = 60_000;

  it(
    'prints tables, and JSON that its schema knows; in a database that was named nothing stays',
    { timeout: TIMEOUT },
    async () => {
      const file = await writeJson(folder, 'lme.json', longMemEvalFile());
      const json = join(folder, 'report.json');
      const database = join(folder, 'database');
      const { code, stdout, stderr } = await runLamina(
        `bench recall --dataset longmemeval ${file} --json ${json} --k 2,1 --database sqlite:${database}`.split(' '),
      );
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toMatch(/longmemeval: 3 conversations, 8 turns, 3 questions/);
      expect(stdout).toMatch(/overall +default +1 +100\.0/);
      expect(stdout).toContain('AUROC');
      const report = recallReportSchema.parse(JSON.parse(await readFile(json, 'utf8')));
      expect(report.configuration).toMatchObject({ cuts: [1, 2], engine: 'sqlite', ranking: { speakers: true } });
      expect(report.sessions['overall']?.default).toMatchObject({ questions: 2, recall: { 2: 1 } });
      expect(JSON.stringify(report)).not.toMatch(/kettle did I|Utrecht/);
      const left = await readdir(database, { recursive: true });
      expect(left.filter((name) => name.includes('tenants/'))).toEqual([]);
    },
  );

  it('goes on after it was killed, and comes to the same', { timeout: TIMEOUT }, async () => {
    const file = await writeJson(folder, 'long.json', longLocomoFile(6));
    const args = ['bench', 'recall', '--dataset', 'locomo', file, '--json', '-', '--mode', 'default'];
    const kept = join(folder, 'kept');
    const killed = new LaminaProcess([...args, '--resume', kept], folder);
    while (!existsSync(join(kept, 'conversation-0002.json')) && killed.child.exitCode === null) await sleep(5);
    killed.child.kill('SIGKILL');
    await killed.ended();
    const done = (await readdir(kept)).filter((name) => /^conversation-\d+\.json$/.test(name));
    expect(done.length).toBeLessThan(12);
    const reports = await Promise.all(
      [[...args, '--resume', kept], args].map(async (each) => {
        const { code, stdout, stderr } = await new LaminaProcess(each, folder).ended();
        expect({ code, stderr }).toMatchObject({ code: 0 });
        const { latencyMs, ...rest } = recallReportSchema.parse(JSON.parse(stdout));
        expect(latencyMs.default?.searches).toBe(6 * 8);
        return rest;
      }),
    );
    expect(reports[0]).toEqual(reports[1]);
  });

  it('stops at Ctrl-C, says how to go on, and leaves nothing behind', { timeout: TIMEOUT }, async () => {
    const file = await writeJson(folder, 'long.json', longLocomoFile(40));
    const temporary = join(folder, 'temporary');
    await makeRunFolder(temporary);
    const environment = { TMPDIR: temporary };
    const args = ['bench', 'recall', '--dataset', 'locomo', file];
    const process = new LaminaProcess(args, folder, environment);
    while (!process.stderr.includes('conversation') && process.child.exitCode === null) await sleep(5);
    process.child.kill('SIGINT');
    expect(await process.ended()).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('Stopped. Nothing was kept: with --resume FOLDER it could go on.'),
    });
    expect((await readdir(temporary)).filter((name) => name.startsWith('lamina-bench-'))).toEqual([]);
  });

  it.each([
    [[], /Say which: recall, replay/],
    [['recal'], /Unknown command "bench recal"\. Did you mean "recall"/],
    [['recall'], /FILE is missing: the file of the data set/],
    [['recall', 'x.json'], /--dataset is missing: locomo, longmemeval/],
    [['recall', '--dataset', 'locomoo', 'x.json'], /--dataset accepts locomo, longmemeval\. Did you mean "locomo"/],
    [['recall', '--dataset', 'locomo', 'x.json', 'y.json'], /"y.json" is one word too many/],
    [['recall', '--dataset', 'locomo', 'x.json', '--k', '0,5'], /--k accepts whole numbers from 1 to 100/],
    [['recall', '--dataset', 'locomo', 'x.json', '--mode', 'vectors'], /no mode "vectors".*Did you mean "vector"/],
    [
      ['recall', '--dataset', 'locomo', 'x.json', '--limit-conversations', '-1'],
      /--limit-conversations accepts a whole number from 1/,
    ],
    [['recall', '--dataset', 'locomo', 'x.json', '--database', 'mysql://u:p@h/d'], /--database accepts sqlite:FOLDER/],
    [['recall', '--dataset', 'locomo', 'x.json', '--embedder', 'cloud'], /--embedder accepts local, openai/],
    [['recall', '--dataset', 'locomo', 'x.json', '--resum', 'f'], /Did you mean "--resume"/],
  ])('refuses %j with advice', async (args, message) => {
    const { code, stderr } = await callCli(['bench', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/See: lamina help bench( recall)?\n$/);
  });

  it('refuses a file that is not there, or is something else, before it does anything', async () => {
    const args = ['bench', 'recall', '--dataset', 'locomo', '--resume', join(folder, 'never')];
    expect(await runLamina([...args, join(folder, 'missing.json')])).toMatchObject({ code: 1, stdout: '' });
    const wrong = await writeJson(folder, 'lme.json', longMemEvalFile());
    const { code, stderr } = await runLamina([...args, wrong]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a file of LoCoMo') });
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('explains itself', async () => {
    const { code, stdout } = await callCli(['help', 'bench', 'recall']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: lamina bench recall FILE --dataset NAME [flags]');
  });
});
