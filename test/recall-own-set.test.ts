/** The data set of our own, with the local model: what was tuned on long conversations must be right for other memory too. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askOwnSet, rememberOwnSet, type OwnFigures } from '../bench/recall/ask-own-set.ts';
import { NOTE_QUESTIONS } from '../bench/recall/own-set.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { DEFAULT_THRESHOLD } from '../src/domain/recall.ts';
import type { Ranking } from '../src/domain/ranking.ts';

const ANN = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  userId: 'ann',
  agentId: 'bench',
  roles: ['admin'],
} as const;

const PLAIN: Ranking = {
  neighbours: false,
  speakers: false,
  sessions: false,
  times: false,
  manner: false,
  best: false,
};

/** What nobody has said anything about. */
const NOT_SAID = [
  'What is the capital of Mongolia?',
  'Which dinosaur lived last?',
  'What is the boiling point of ethanol?',
  'Who painted the ceiling of the chapel?',
  'How many moons does Saturn have?',
  'Where was the treaty signed?',
  'What did the emperor of Rome say about wine?',
  'Which guitar strings are best for jazz?',
  'How do penguins sleep?',
  'When did the volcano erupt?',
] as const;

describe('recall of notes, documents, a group and a chat', () => {
  let folder: string;
  const figures = new Map<string, OwnFigures[]>();
  const imagined: string[] = [];
  let passing = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lamina-own-set-'));
    for (const ranking of [undefined, PLAIN]) {
      const lamina = await Lamina.open({ folder, ...(ranking && { ranking }) });
      const memory = lamina.as({ ...ANN, roles: [...ANN.roles] });
      if (ranking === undefined) await rememberOwnSet(memory);
      figures.set(ranking ? 'plain' : 'default', await askOwnSet(memory, ANN.userId));
      if (ranking === undefined) {
        figures.set('threshold', await askOwnSet(memory, ANN.userId, DEFAULT_THRESHOLD));
        for (const query of NOT_SAID) {
          const { results } = await memory.search({ query, identifiers: { userId: ANN.userId, agentId: ANN.agentId } });
          if (results.length > 0) imagined.push(query);
        }
        for (const [query] of NOTE_QUESTIONS) passing += (await memory.search({ query, limit: 50 })).results.length;
      }
      await lamina.close();
    }
  }, 120_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Shares of what answers the questions among the first five and the first ten. */
  const FLOORS = { notes: [0.96, 1], documents: [0.96, 1], group: [0.85, 0.92], chat: [0.83, 0.9] } as const;

  it.each(Object.entries(FLOORS))('finds %s', (name, [five, ten]) => {
    const found = figures.get('default')?.find(({ part }) => part === name);
    expect(found?.five).toBeGreaterThanOrEqual(five);
    expect(found?.ten).toBeGreaterThanOrEqual(ten);
  });

  it.each([
    ['notes', 0.96],
    ['documents', 0.92],
    ['group', 0.85],
    ['chat', 0.85],
  ])('finds %s at the default threshold too', (name, least) => {
    expect(figures.get('threshold')?.find(({ part }) => part === name)?.ten).toBeGreaterThanOrEqual(least);
  });

  it('finds nothing at the default threshold for most of what was never said', () => {
    expect(imagined.length).toBeLessThanOrEqual(NOT_SAID.length / 2);
  });

  it('lets little else pass than what answers a question about notes, though people talk as well', () => {
    expect(passing / NOTE_QUESTIONS.length).toBeLessThan(5);
  });

  it('is nowhere worse than without the signals of conversations, and much better where people talk', () => {
    const [ranked, plain] = [figures.get('default') ?? [], figures.get('plain') ?? []];
    expect(ranked).toHaveLength(4);
    for (const [index, part] of ranked.entries()) expect(part.five).toBeGreaterThanOrEqual(plain[index]?.five ?? 1);
    const group = (of: readonly OwnFigures[]): number => of.find(({ part }) => part === 'group')?.five ?? 0;
    expect(group(ranked) - group(plain)).toBeGreaterThan(0.2);
  });
});

it('a reaction is not an answer because of what stands around it', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lamina-reactions-'));
  const lamina = await Lamina.open({ folder });
  onTestFinished(async () => {
    await lamina.close();
    await rm(folder, { recursive: true, force: true });
  });
  const memory = lamina.as({ userId: 'ann', agentId: 'bench' });
  await memory.remember({
    sessionId: 'monday',
    messages: [
      { role: 'user', content: 'I am allergic to hazelnuts.' },
      { role: 'assistant', content: 'Noted, no hazelnuts.' },
      { role: 'user', content: 'My sister Dana lives in Oslo.' },
      { role: 'assistant', content: 'Nice!' },
      { role: 'user', content: 'ok thanks' },
    ],
  });
  const { results } = await memory.search({ query: 'allergic to hazelnuts' });
  const contents = results.map(({ memory: { content } }) => content);
  expect(contents).toContain('I am allergic to hazelnuts.');
  expect(contents).not.toContain('Nice!');
  expect(contents).not.toContain('ok thanks');
});
