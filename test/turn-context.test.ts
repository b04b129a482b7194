/** The prompt of a turn, of one memory: the same every time, and by the policy that it was opened with. */

import { describe, expect, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { parsePrompt } from './turn-prompt-parser.ts';

describe('a turn', () => {
  it('is the same for the same memory at the same time, and counts what it used as a search does', async () => {
    const opened = untilTestEnds(await openLamina({ clock: new ManualClock() }));
    const memory = opened.lamina.as({ userId: 'alice' });
    for (const month of ['January', 'February', 'March']) {
      await memory.add({ content: `The harbour freezes in ${month}`, layer: 'user' });
    }
    const first = await memory.turnContext({ message: 'frozen harbour', threshold: 0 });
    expect(await memory.turnContext({ message: 'frozen harbour', threshold: 0 })).toEqual(first);
    expect(first.receipt.taken).toHaveLength(3);
    const counts = async (): Promise<number[]> =>
      (await memory.list({ layer: 'user' })).memories.map(({ accessCount }) => accessCount);
    await expect.poll(counts, { timeout: 10_000 }).toEqual([2, 2, 2]);
  });

  it('leaves out by policy, which is checked when it is opened', async () => {
    const opened = untilTestEnds(await openLamina({ turn: { maxSensitivity: 'confidential' } }));
    const memory = opened.lamina.as({ userId: 'alice' });
    await memory.add({ content: 'The harbour is for sale', layer: 'user', sensitivity: 'confidential' });
    await memory.add({ content: 'The harbour costs a fortune', layer: 'user', sensitivity: 'restricted' });
    const turn = await memory.turnContext({ message: 'harbour', threshold: 0 });
    expect(parsePrompt(turn.prompt).sections).toEqual({ 'Relevant Memory': ['The harbour is for sale'] });
    const narrow = await memory.turnContext({ message: 'harbour', threshold: 0, maxSensitivity: 'internal' });
    expect([narrow.context, narrow.receipt.counts.sensitivity]).toEqual(['', 2]);
    const wrong = { turn: { maxSensitivity: 'secret' as 'public' } };
    await expect(Lamina.open(wrong)).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
  });

  it('is without procedures and earlier turns where there are too many agents to ask, and says so', async () => {
    const opened = untilTestEnds(await openLamina());
    const memory = opened.lamina.as({ userId: 'alice' });
    const rules = Array.from({ length: 101 }, (_, at) => ({
      content: `Rule ${at}`,
      kind: 'procedural' as const,
      layer: 'agent' as const,
      identifiers: { userId: 'alice', agentId: `agent-${at}` },
    }));
    await memory.addMany(rules);
    const turn = await memory.turnContext({ message: 'What is rule 7?', threshold: 0 });
    expect(turn).toMatchObject({ degraded: true, warnings: Array(2).fill(expect.stringContaining('agentId')) });
    const named = await memory.turnContext({ message: 'What is rule 7?', threshold: 0, agentId: 'agent-7' });
    expect(parsePrompt(named.prompt).sections).toEqual({ Procedures: ['Rule 7'] });
  });
});
