/** Short chats with an assistant, with the local model: what was said is found, and not everything else with it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askShortChats, chatFigures, type AskedOfChat, type ChatFigures } from '../bench/recall/ask-short-chats.ts';
import { Lamina } from '../src/compose/lamina.ts';

describe('a prompt for a question about a short chat', () => {
  let folder: string;
  let lamina: Lamina;
  let asked: readonly AskedOfChat[] = [];
  let figures: ChatFigures;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lamina-short-chats-'));
    lamina = await Lamina.open({ folder });
    asked = await askShortChats((userId) => lamina.as({ userId }));
    figures = chatFigures(asked);
  }, 120_000);

  afterAll(async () => {
    await lamina.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Of 42; where `best` applied to short chats as it does to long ones it was 24. */
  it('holds what answers it', () => {
    expect(figures.found).toBeGreaterThanOrEqual(31);
  });

  /** It was 4. */
  it('holds little else', () => {
    expect(figures.linesOfAnswerable).toBeLessThan(2.5);
  });

  it('is mostly empty where there is no answer, and else a line or two', () => {
    expect(figures.imagined).toBeLessThanOrEqual(figures.unanswerable * 0.4);
    expect(figures.linesOfUnanswerable).toBeLessThan(0.75);
    for (const { question, lines } of asked) if (question.answers.length === 0) expect(lines.length).toBeLessThan(6);
  });

  it('holds a correction where there is little room as well, mostly', () => {
    expect(figures.corrected / figures.corrections).toBeGreaterThanOrEqual(0.75);
  });

  it('finds by its meaning alone what shares no word with the question', async () => {
    const memory = lamina.as({ userId: 'u-101' });
    const search = { query: 'Which painkiller should I not take?', agentId: 'assistant' } as const;
    const { results } = await memory.episodic.search(search);
    const { content, score, signals } = results[0] ?? expect.fail('nothing was found');
    expect(content).toContain('ibuprofen');
    // As a note: by its own words and meaning, and by nothing that stands around it.
    expect(signals).toMatchObject({ text: 0, best: 0.85 });
    expect(signals).not.toHaveProperty('session');
    const sum = Object.values(signals.evidence ?? {}).reduce<number>((total, part) => total + (part ?? 0), 0);
    expect(score).toBeCloseTo(1 / (1 + Math.exp(-sum)), 6);
  });
});
