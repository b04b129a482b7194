/** Searching with a reranker, on a real engine and over real HTTP: what it changes, what it may see, and going on without. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { parseConfiguration } from '../src/compose/configuration.ts';
import type { LaminaOptions } from '../src/compose/lamina-options.ts';
import { startService } from '../src/compose/service.ts';
import type { SearchOutput } from '../src/domain/recall.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HttpReranker } from '../src/reranking/http/http-reranker.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { startRerankServer, type Judge, type RerankServer } from './rerank-server.ts';
import { openLamina, type OpenLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

interface Reranked extends OpenLamina {
  readonly memory: Memory;
  readonly server: RerankServer;
  readonly clock: ManualClock;
}

/** Whatever says "really" is the answer. */
const REALLY: Judge = (_query, text) => (text.includes('really') ? 1 : 0);

async function openReranked(
  judge: Judge = REALLY,
  reranking: LaminaOptions['reranking'] = { budgetMs: 5000 },
  scale?: (score: number) => number,
): Promise<Reranked> {
  const server = await startRerankServer(judge, scale && { scale });
  const clock = new ManualClock();
  const reranker = new HttpReranker({ clock, baseUrl: server.url, model: 'm' });
  const opened = await openLamina({ reranker, reranking, clock });
  onTestFinished(() => opened.close());
  return { ...opened, memory: opened.lamina.as({ userId: 'alice' }), server, clock };
}

const HARBOUR = [
  'The harbour of the town freezes in January',
  'The harbour of the town is closed in winter',
  'In some winters the town really has no harbour',
];

async function addAll(memory: Memory, contents: readonly string[] = HARBOUR): Promise<void> {
  for (const content of contents) await memory.add({ content, layer: 'user' });
}

const ASKED = { query: 'harbour of the town in winter', threshold: 0 } as const;

const contentsOf = ({ results }: SearchOutput): string[] => results.map(({ memory }) => memory.content);
const scoresOf = ({ results }: SearchOutput): Record<string, number> =>
  Object.fromEntries(results.map(({ memory, score }) => [memory.content, score]));

describe('a search with a reranker', () => {
  it('puts first what the reranker says, and its signals still add up to the score', async () => {
    const { memory, server } = await openReranked();
    await addAll(memory);
    const without = await memory.search({ ...ASKED, rerank: false });
    expect([server.count, contentsOf(without)[0]]).toEqual([0, HARBOUR[1]]);
    expect(without.results[0]?.signals.rerank).toBeUndefined();

    const found = await memory.search(ASKED);
    expect(found.warnings).toBeUndefined();
    expect(contentsOf(found)[0]).toBe(HARBOUR[2]);
    expect(server.asked.map(({ query, texts }) => [query, texts.toSorted()])).toEqual([
      [ASKED.query, HARBOUR.toSorted()],
    ]);
    for (const { score, signals } of found.results) {
      const sum = Object.values(signals.evidence ?? {}).reduce((total: number, value) => total + (value ?? 0), 0);
      expect(score).toBeCloseTo(1 / (1 + Math.exp(-sum)), 10);
      expect(signals.evidence?.rerank).toBeCloseTo(6 * ((signals.rerank ?? 0) - 0.5), 10);
    }
  });

  it('is among the features that the provider of knowledge tells of', async () => {
    const { memory } = await openReranked();
    expect((await memory.openspec.discover({})).provider.features.reranking).toBe(true);
  });

  it('reads each model by its own scale: low scores that answer, and high ones that do not', async () => {
    const scales = [(score: number) => 0.0001 + 0.3 * score, (score: number) => 0.55 + 0.4 * score];
    const signals = await Promise.all(
      scales.map(async (scale) => {
        const { memory } = await openReranked(REALLY, { budgetMs: 5000 }, scale);
        await addAll(memory);
        const { results } = await memory.search(ASKED);
        return results.map((result) => result.signals.rerank ?? 0);
      }),
    );
    for (const [best = 0, ...others] of signals) {
      expect(best).toBeGreaterThan(0.9);
      expect(Math.max(...others)).toBeLessThan(0.2);
    }
  });

  it('is measured once, and not again', async () => {
    const { memory, server } = await openReranked();
    await addAll(memory);
    await memory.search(ASKED);
    const measured = server.count - server.asked.length;
    await memory.search(ASKED);
    expect([measured, server.count - server.asked.length]).toEqual([3, 3]);
  });

  it('applies the threshold afterwards: lifts what answers, drops what does not', async () => {
    const { memory } = await openReranked((_query, text) => (text.includes('boats') ? 1 : 0));
    await addAll(memory, ['Where boats lie, ice comes late', ...HARBOUR]);
    const query = 'the harbour of the town freezes in January';
    const plain = scoresOf(await memory.search({ query, threshold: 0, rerank: false }));
    const threshold = 0.7;
    expect(plain[HARBOUR[0] ?? '']).toBeGreaterThan(threshold);
    const judged = scoresOf(await memory.search({ query, threshold: 0 }));
    const least = (plain['Where boats lie, ice comes late'] ?? 0) + 0.01;
    expect(judged['Where boats lie, ice comes late']).toBeGreaterThan(least);
    const found = contentsOf(await memory.search({ query, threshold: least }));
    expect(found).toContain('Where boats lie, ice comes late');
    expect(judged[HARBOUR[1] ?? '']).toBeLessThan(plain[HARBOUR[1] ?? ''] ?? 0);
  });

  it('is asked about the best only, and what stands behind them does not overtake them', async () => {
    const { memory, server } = await openReranked(() => 0, { budgetMs: 5000, candidates: 2 });
    await addAll(memory);
    const plain = contentsOf(await memory.search({ ...ASKED, rerank: false }));
    const found = await memory.search({ ...ASKED, limit: 2, rank: 'relevance' });
    expect(server.asked[0]?.texts.toSorted()).toEqual(plain.slice(0, 2).toSorted());
    expect(contentsOf(found)).toEqual(plain.slice(0, 2));
    await memory.search({ ...ASKED, limit: 3 });
    expect(server.asked[1]?.texts).toHaveLength(3);
  });

  it('leaves the more specific layer before the others, and reads some of each', async () => {
    const { memory, root, server } = await openReranked(REALLY, { budgetMs: 5000, candidates: 2 });
    await root.add({ content: 'The harbour of the town is really closed in winter', layer: 'company' });
    await root.add({ content: 'The harbour of the town in winter is closed for all', layer: 'company' });
    await memory.add({ content: 'My town has a harbour', layer: 'user' });
    const found = await memory.search({ ...ASKED, limit: 2 });
    expect(found.results.map(({ layer }) => layer)).toEqual(['user', 'company']);
    expect(server.asked[0]?.texts).toContain('My town has a harbour');
    const byScore = await memory.search({ ...ASKED, rank: 'relevance' });
    expect(contentsOf(byScore)[0]).toBe('The harbour of the town is really closed in winter');
  });

  it('works for knowledge, episodes and turns', async () => {
    const { memory, server } = await openReranked();
    for (const content of HARBOUR) {
      await memory.semantic.store({ content });
      await memory.episodic.log({ agentId: 'a', role: 'user', content, speaker: 'Ann' });
    }
    const { results } = await memory.semantic.search({ ...ASKED });
    expect(results[0]?.content).toBe(HARBOUR[2]);
    const episodes = await memory.episodic.search({ ...ASKED, agentId: 'a' });
    expect(episodes.results[0]?.content).toBe(HARBOUR[2]);
    expect(server.asked.at(-1)?.texts).toContain(`Ann: ${HARBOUR[2]}`);
    const turn = await memory.turnContext({ message: ASKED.query, threshold: 0, procedures: false });
    expect([turn.degraded, turn.context.indexOf('really') < turn.context.indexOf('freezes')]).toEqual([false, true]);
  });

  it('looks at the past as it stood, and at what was archived', async () => {
    const { memory, server, clock } = await openReranked();
    const { memory: first } = await memory.add({ content: HARBOUR[2] ?? '', layer: 'user' });
    const { memory: second } = await memory.add({ content: HARBOUR[0] ?? '', layer: 'user' });
    clock.advance(1000);
    const asOf = new Date(clock.now()).toISOString();
    clock.advance(1000);
    await memory.update({ id: first.id, content: 'The harbour of the town has been filled up' });
    const then = await memory.search({ ...ASKED, asOf });
    expect(new Set(server.asked[0]?.texts)).toEqual(new Set([HARBOUR[2], HARBOUR[0]]));
    expect([contentsOf(then)[0], then.results[0]?.signals.rerank]).toEqual([HARBOUR[2], expect.any(Number)]);
    await memory.archive({ id: second.id });
    await memory.search({ ...ASKED, includeArchived: true });
    expect(server.asked.at(-1)?.texts).toContain(HARBOUR[0]);
    await memory.search(ASKED);
    expect(server.asked.at(-1)?.texts).not.toContain(HARBOUR[0]);
  });

  it('cuts long texts, and shows nobody what is somebody else’s', async () => {
    const { memory, lamina, server } = await openReranked();
    await lamina.as({ userId: 'bob' }).add({ content: 'The harbour of Bob', layer: 'user' });
    await lamina
      .as({ tenantId: '0192f5a0-0000-7000-8000-000000000001', userId: 'alice' })
      .add({ content: 'Another harbour', layer: 'user' });
    // A character of two units lies across the cut, and half of it would be no text.
    await memory.add({ content: `The harbour${'⛵️🌊'.repeat(1000)}`, layer: 'user' });
    await memory.search(ASKED);
    const [text = ''] = server.asked[0]?.texts ?? [];
    expect([server.asked[0]?.texts.length, text.length, text.isWellFormed()]).toEqual([1, 2000, true]);
  });
});

describe('what a reranker outside may see', () => {
  it('is nothing confidential by default: that keeps the score that it has without', async () => {
    const { memory, server } = await openReranked();
    await addAll(memory);
    const secret = 'The harbour of the town is really mined in winter';
    await memory.add({ content: secret, layer: 'user', sensitivity: 'confidential' });
    const plain = scoresOf(await memory.search({ ...ASKED, rerank: false }));
    const found = await memory.search(ASKED);
    expect(server.asked[0]?.texts.toSorted()).toEqual(HARBOUR.toSorted());
    expect(scoresOf(found)[secret]).toBeCloseTo(plain[secret] ?? 0, 6);
    expect(found.results.find((each) => each.memory.content === secret)?.signals.rerank).toBeUndefined();
  });

  it('is what the policy says, and less where a search asks for less', async () => {
    const { memory, server } = await openReranked(REALLY, { budgetMs: 5000, maxSensitivity: 'restricted' });
    for (const sensitivity of ['public', 'internal', 'restricted'] as const) {
      await memory.add({ content: `The ${sensitivity} harbour`, layer: 'user', sensitivity });
    }
    await memory.search(ASKED);
    const narrow = await memory.search({ ...ASKED, maxSensitivity: 'public' });
    expect(server.asked.map(({ texts }) => texts.length)).toEqual([3, 1]);
    expect([contentsOf(narrow), narrow.totalCount, narrow.withheld]).toEqual([['The public harbour'], 1, 2]);
  });

  it('is not what was made confidential since the moment that is asked about', async () => {
    const { memory, server, clock } = await openReranked();
    const { memory: entry } = await memory.add({ content: HARBOUR[0] ?? '', layer: 'user' });
    await memory.add({ content: HARBOUR[1] ?? '', layer: 'user' });
    clock.advance(1000);
    const asOf = new Date(clock.now()).toISOString();
    clock.advance(1000);
    await memory.update({ id: entry.id, sensitivity: 'confidential' });
    await memory.search({ ...ASKED, asOf });
    expect(server.asked[0]?.texts).toEqual([HARBOUR[1]]);
  });

  it('where nothing may go, it is not asked', async () => {
    const { memory, server } = await openReranked();
    await memory.add({ content: HARBOUR[0] ?? '', layer: 'user', sensitivity: 'restricted' });
    expect((await memory.search(ASKED)).warnings).toBeUndefined();
    expect(server.count).toBe(0);
  });
});

describe('a reranker that fails', () => {
  it('does not hold a search up for longer than its budget, and changes nothing then', async () => {
    const { memory, server, lamina } = await openReranked(REALLY, { budgetMs: 80 });
    await addAll(memory);
    const plain = await memory.search({ ...ASKED, rerank: false });
    server.trouble = { isSilent: true };
    const started = performance.now();
    const found = await memory.search(ASKED);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(found.warnings).toEqual([expect.stringContaining('did not answer in time')]);
    expect(contentsOf(found)).toEqual(contentsOf(plain));
    expect(found.results.every(({ signals }) => signals.rerank === undefined)).toBe(true);
    // Only the questions by which it is measured are still waited for, and by no search.
    await expect.poll(() => server.abandoned).toBe(1);
    expect((await lamina.health()).components['reranker']?.status).toBe('degraded');
  });

  it('is left alone after a while, and asked again later', async () => {
    const { memory, server, clock, lamina } = await openReranked();
    await addAll(memory);
    await memory.search(ASKED);
    expect((await lamina.health()).components['reranker']).toEqual({ status: 'healthy' });
    server.trouble = { status: 503 };
    for (let failures = 0; failures < 5; failures += 1) {
      expect((await memory.search(ASKED)).warnings).toEqual([expect.stringContaining('could not be used')]);
    }
    const { count } = server;
    const left = await memory.search(ASKED);
    expect([server.count, left.warnings]).toEqual([count, [expect.stringContaining('left alone')]]);
    expect(await lamina.health()).toMatchObject({
      status: 'degraded',
      components: { reranker: { status: 'degraded' } },
    });
    server.trouble = undefined;
    clock.advance(10_000);
    expect(contentsOf(await memory.search(ASKED))[0]).toBe(HARBOUR[2]);
    expect((await lamina.health()).status).toBe('healthy');
  });

  it('is left alone for a wrong key too, but not because it refuses a text', async () => {
    for (const [status, isLeftAlone] of [
      [401, true],
      [413, false],
    ] as const) {
      const { memory, server } = await openReranked();
      await addAll(memory);
      await memory.search(ASKED);
      server.trouble = { status };
      for (let failures = 0; failures < 5; failures += 1) await memory.search(ASKED);
      const { count } = server;
      await memory.search(ASKED);
      expect([status, server.count === count]).toEqual([status, isLeftAlone]);
    }
  });

  it('is not heard where it cannot tell an answer from anything else', async () => {
    const { memory, lamina } = await openReranked(REALLY, { budgetMs: 5000 }, () => 0.9);
    await addAll(memory);
    const plain = await memory.search({ ...ASKED, rerank: false });
    const found = await memory.search(ASKED);
    expect([contentsOf(found), found.warnings?.length]).toEqual([contentsOf(plain), 1]);
    expect((await lamina.health()).components['reranker']?.message).toContain('no higher than others');
  });
});

it('is used by the service where it is configured', async () => {
  const server = await startRerankServer(REALLY);
  const embeddings = await startEmbeddingServer();
  onTestFinished(() => embeddings.close());
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const environment = {
    ...embeddings.environment,
    LAMINA_DATABASE_URL: `sqlite:${folder}`,
    LAMINA_PORT: '0',
    LAMINA_RERANKER_URL: server.url,
    LAMINA_RERANKER_MODEL: 'rerank-x',
    LAMINA_RERANKER_API_KEY: 'hush',
    LAMINA_RERANKER_BUDGET_MS: '20000',
  };
  const service = await startService(parseConfiguration({ environment }), {
    version: '0',
    logger: { level: 'silent' },
  });
  onTestFinished(() => service.close());
  const memory = new LaminaClient({ url: service.url }).as({ userId: 'alice' });
  await addAll(memory);
  const found = await memory.search({ ...ASKED, maxSensitivity: 'internal' });
  expect([contentsOf(found)[0], found.withheld]).toEqual([HARBOUR[2], 0]);
  expect(server.asked[0]).toMatchObject({ body: { model: 'rerank-x' }, headers: { authorization: 'Bearer hush' } });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/^lamina_rerank_texts_total\{[^}]*outcome="done"[^}]*\} 3/m);
});

it.each([{ candidates: 0 }, { candidates: 1.5 }, { budgetMs: -1 }, { maxSensitivity: 'secret' as 'public' }])(
  'refuses the policy %j',
  async (reranking) => {
    await expect(openLamina({ reranking })).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
  },
);
