/** Replaying recorded searches: nothing moves by itself, what moves is told with its signals, and memory is only looked at. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareReceipts } from '../src/cli/bench/replay-comparison.ts';
import { replayText, type ReplayReport } from '../src/cli/bench/replay-report.ts';
import { Lamina } from '../src/compose/lamina.ts';
import type { RecallReceipt, StoredCandidate } from '../src/domain/recall-receipt.ts';
import { wireOf } from '../src/operations/wire.ts';
import type { Memory } from '../src/operations/memory.ts';
import { callCli } from './cli-caller.ts';
import { runLamina } from './lamina-process.ts';

const USER = 'alice';
const NONE = { neighbours: false, speakers: false, sessions: false, times: false, manner: false, best: false };

/** Two people about two things, so that who is asked about, and where it was said, decides. */
const TURNS: readonly (readonly [session: string, speaker: string, content: string])[] = [
  ['boats', 'Anna', 'I want to paint the boat before the summer.'],
  ['boats', 'Ben', 'Which colour will you take?'],
  ['boats', 'Anna', 'Dark green, the same as the harbour gate.'],
  ['boats', 'Ben', 'I still have some varnish from the old boat.'],
  ['bread', 'Ben', 'My bread did not rise at all yesterday.'],
  ['bread', 'Anna', 'Was the colour of the yeast still right?'],
  ['bread', 'Ben', 'It was dark, and it smelled of summer fruit.'],
  ['bread', 'Anna', 'Then take new yeast and warm water.'],
];

const QUERIES = [
  'What colour will Anna paint the boat?',
  'What happened to the bread of Ben?',
  'When is the boat painted?',
];

let root: string;
let database: string;
let receipts: RecallReceipt[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lamina-replay-test-'));
  database = `sqlite:${join(root, 'data')}`;
  const lamina = await Lamina.open({ database });
  try {
    receipts = await record(lamina.as({ userId: USER }));
  } finally {
    await lamina.close();
  }
}, 60_000);

afterAll(() => rm(root, { recursive: true, force: true }));

async function record(memory: Memory): Promise<RecallReceipt[]> {
  for (const [turn, [sessionId, speaker, content]] of TURNS.entries()) {
    await memory.episodic.log({ sessionId, speaker, content, turn, role: 'user', agentId: 'guide' });
  }
  const identifiers = { userId: USER, agentId: 'guide' };
  const recorded: RecallReceipt[] = [];
  for (const query of QUERIES) {
    const asked = { query, identifiers, limit: 4, threshold: 0.1, record: true };
    const { receiptId = '', results } = await memory.search({ ...asked, layers: ['agent'] });
    expect(results.length).toBeGreaterThan(0);
    const receipt = await memory.receipts.get({ receiptId });
    if (receipt !== null) recorded.push(receipt);
  }
  const [best] = recorded[0]?.candidates ?? [];
  await memory.receipts.mark({ receiptId: recorded[0]?.receiptId ?? '', relevantIds: [best?.memoryId ?? ''] });
  return recorded;
}

async function replay(...flags: string[]): Promise<{ report: ReplayReport; stderr: string }> {
  const args = ['bench', 'replay', '--database', database, '--user', USER, '--json', '-', ...flags];
  const { code, stdout, stderr } = await runLamina(args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return { report: JSON.parse(stdout) as ReplayReport, stderr };
}

/** All that a replay could leave behind. */
async function traces(): Promise<unknown> {
  const lamina = await Lamina.open({ database });
  try {
    const memory = lamina.as({ userId: USER });
    const { memories } = await memory.list({ layer: 'agent', identifiers: { userId: USER, agentId: 'guide' } });
    return [await memory.receipts.list({}), memories];
  } finally {
    await lamina.close();
  }
}

describe('lamina bench replay', () => {
  it('finds nothing moved by the same configuration, and leaves no trace', async () => {
    const before = await traces();
    const { report } = await replay();
    expect(report.summary).toMatchObject({
      receipts: 3,
      unchanged: 3,
      overlap: 1,
      rankShift: 0,
      cameIn: 0,
      wentOut: 0,
    });
    expect(report.before).toEqual(report.after);
    expect(report.summary.marked).toEqual({
      receipts: 1,
      before: { recall: 1, reciprocalRank: 1 },
      after: { recall: 1, reciprocalRank: 1 },
    });
    expect(await traces()).toEqual(before);
  }, 60_000);

  it('tells what another ranking moves, with the signals before and after', async () => {
    const ranking = JSON.stringify(NONE);
    const { report } = await replay('--ranking', ranking, '--k', '2');
    expect(report.after.ranking).toMatchObject(NONE);
    expect(report.summary.unchanged).toBeLessThan(3);
    const changed = report.comparisons.flatMap(({ cameIn, wentOut, moved }) => [...cameIn, ...wentOut, ...moved]);
    expect(changed.length).toBeGreaterThan(0);
    for (const { before, after } of changed) {
      expect(before?.signals.evidence).toHaveProperty('session');
      expect(after?.signals.evidence).not.toHaveProperty('session');
    }
    const text = replayText(report);
    expect(text).toContain('ranking: ');
    expect(text).toMatch(/overlap@2 +\d\.\d{3}/);
    expect(text).toMatch(/recall@2 of what is marked +1\.000 → \d\.\d{3}/);
    expect(text).toMatch(/ {2}[-+~] [0-9a-f-]{36} {2}\d?–? → /);
  }, 60_000);

  it('takes receipts of a file, in either spelling, and asks by another mode', async () => {
    const file = join(root, 'receipts.json');
    const [first, ...others] = receipts;
    await writeFile(file, JSON.stringify([wireOf('receipts.get').output.encode(first), ...others]));
    const { report } = await replay('--receipts', file, '--mode', 'keyword', '--threshold', '0.9');
    expect(report.summary.receipts).toBe(3);
    expect(report.after).toMatchObject({ mode: 'keyword', threshold: 0.9, embedding: null });
  }, 60_000);

  it('says whose searches there are none of', async () => {
    const { code, stderr } = await runLamina(['bench', 'replay', '--database', database, '--user', 'nobody']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('There are no receipts of "nobody" to replay.');
  }, 60_000);

  it.each([
    [['--ranking', 'fast'], '--ranking accepts a JSON object'],
    [['--ranking', '[true]'], '--ranking accepts a JSON object'],
    [['--ranking', '{"sesions":true}'], 'There is no "sesions" in a ranking. Did you mean "sessions"?'],
    [['--ranking', '{"sessions":"no"}'], '"sessions" of --ranking has to be a boolean.'],
    [['--mode', 'magic'], '--mode accepts hybrid, keyword, semantic.'],
    [['--threshold', '2'], '--threshold accepts a number from 0 to 1.'],
    [['--k', '0'], '--k accepts a whole number from 1 to 100.'],
    [['--recepits', 'x'], 'Unknown flag "--recepits". Did you mean "--receipts"?'],
    [['--tenant', 'acme'], '--tenant accepts a UUID'],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr } = await callCli(['bench', 'replay', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each([
    ['{', 'is not JSON'],
    ['{}', 'it has to be a JSON list of receipts'],
    ['[{"receiptId":"x"}]', 'number 1 is none'],
  ])('refuses a file with %j', async (text, message) => {
    const file = join(root, 'wrong.json');
    await writeFile(file, text);
    expect((await callCli(['bench', 'replay', '--receipts', file])).stderr).toContain(message);
    const { stderr } = await callCli(['bench', 'replay', '--receipts', join(root, 'none.json')]);
    expect(stderr).toMatch(/^NOT_FOUND/);
  });
});

const SIGNALS = { text: 0, vector: 0, recency: 1, importance: 0.5, confidence: 1 };

function candidate(memoryId: string, place: number | null): StoredCandidate {
  return { memoryId, layer: 'user', place, score: 0.5, similarity: null, signals: SIGNALS };
}

/** Results in their order; `gone` are not there any more. */
function receiptOf(ids: string, gone = '', relevantIds?: string[]): RecallReceipt {
  const candidates = [...ids].map((id, index) => ({ ...candidate(id, index + 1), gone: gone.includes(id) }));
  return { ...(receipts[0] as RecallReceipt), candidates, ...(relevantIds && { relevantIds }) };
}

describe('a comparison', () => {
  const compare = (before: RecallReceipt, after: string, k = 10, fresh = '') =>
    compareReceipts(before, receiptOf(after), new Set(fresh), k);

  it('counts what is the same, what came and went, and how far the rest moved', () => {
    const { overlap, rankShift, cameIn, wentOut, moved } = compare(receiptOf('abcd'), 'bace');
    expect([overlap, rankShift]).toEqual([0.75, 2 / 3]);
    expect([cameIn, wentOut, moved].map((list) => list.map(({ memoryId }) => memoryId).join(''))).toEqual([
      'e',
      'd',
      'ab',
    ]);
    expect(wentOut[0]).toMatchObject({ before: { place: 4 }, after: null });
  });

  it('looks at the first k only', () => {
    expect(compare(receiptOf('abcd'), 'abdc', 2)).toMatchObject({ overlap: 1, rankShift: 0, cameIn: [], wentOut: [] });
  });

  it('leaves out what is gone since, and what is new since', () => {
    const result = compare(receiptOf('abc', 'b'), 'xac', 10, 'x');
    expect(result).toMatchObject({ overlap: 1, cameIn: [], wentOut: [], goneIds: ['b'], newIds: ['x'] });
  });

  it('is whole where nothing was found either time, and empty where all is other', () => {
    expect(compare(receiptOf(''), '')).toMatchObject({ overlap: 1, rankShift: null, marked: null });
    expect(compare(receiptOf('ab'), 'cd')).toMatchObject({ overlap: 0, rankShift: null });
    expect(compare(receiptOf('ab'), '')).toMatchObject({ overlap: 0 });
  });

  it('tells how much of what is marked is found', () => {
    const { marked } = compare(receiptOf('abc', '', ['b', 'z']), 'zbc');
    expect(marked).toEqual({ before: { recall: 0.5, reciprocalRank: 0.5 }, after: { recall: 1, reciprocalRank: 1 } });
    expect(compare(receiptOf('ab', 'a', ['a']), 'b').marked).toBeNull();
  });
});
