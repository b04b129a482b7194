/** Memory that cannot be asked: the turn goes on without, says so, and does not wait. */

import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { LaminaError } from '../src/domain/error.ts';
import { turnContextOver } from '../src/operations/turn-context-over.ts';
import { startJsonServer } from './json-server.ts';
import { LaminaProcess } from './lamina-process.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { parsePrompt } from './turn-prompt-parser.ts';

const MESSAGE = 'When does the harbour freeze?';
const WITHOUT = { prompt: `[User Message]\n${MESSAGE}`, context: '', tokens: 0, degraded: true };

describe('while memory is down', () => {
  it('a turn goes on without a service that was killed, and does not wait for it', async () => {
    const folder = await makeFolder();
    const service = new LaminaProcess(['serve', '--port', '0'], folder);
    const url = await service.listening();
    const client = new LaminaClient({ url });
    const memory = client.as({ userId: 'alice' });
    try {
      await memory.add({ content: 'The harbour freezes in January', layer: 'user' });
      expect((await memory.turnContext({ message: MESSAGE })).context).toContain('January');
    } finally {
      service.child.kill('SIGKILL');
      await service.ended();
      await removeFolder(folder);
    }
    const began = performance.now();
    const turn = await memory.turnContext({ message: MESSAGE, limit: 3 });
    // A call that is not urgent is tried three times, and takes a second and a half at least.
    expect(performance.now() - began).toBeLessThan(1200);
    expect(turn).toMatchObject(WITHOUT);
    expect(turn.warnings).toEqual([`Memory could not be asked. The service at ${url} cannot be reached.`]);
    expect(turn.receipt).toMatchObject({ taken: [], leftOut: [], settings: { limit: 3 } });
    await expect(memory.turnContext({ message: ' ' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      operation: 'turnContext',
    });
    await client.close();
    expect(await memory.turnContext({ message: MESSAGE })).toMatchObject(WITHOUT);
  }, 60_000);

  it('a turn does not wait for a service that never answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const client = new LaminaClient({ url: `http://127.0.0.1:${port}`, timeoutMs: 300 });
    const began = performance.now();
    expect(await client.as({ userId: 'alice' }).turnContext({ message: MESSAGE })).toMatchObject(WITHOUT);
    expect(performance.now() - began).toBeLessThan(5000);
    await client.close();
    silent.close();
  });

  it('a turn waits ten seconds at most, whatever is behind it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const never = (): Promise<never> => new Promise(() => {});
    const turn = turnContextOver(never, { message: MESSAGE });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await turn).toMatchObject({ ...WITHOUT, warnings: [expect.stringContaining('10000 ms')] });
  });

  it.each([
    { body: { ok: true } },
    { body: [] },
    { body: {} },
    { body: { prompt: 5, context: '', tokens: 0, receipt: {}, degraded: false } },
    { body: { prompt: 'x', context: '', tokens: 0, receipt: { taken: [], leftOut: [] }, degraded: false } },
    { body: { prompt: 'x', receipt: { leftOut: [], left_out: [] } } },
    { body: 'null' },
    { body: '<h1>Please sign in</h1>' },
    ...[401, 403, 404, 405, 413, 500, 502].map((status) => ({ status, body: '<h1>Not here</h1>' })),
    { status: 404, body: { message: 'no Route matched with those values' } },
  ])('a turn goes on when something that is not Lamina answers: %j', async (answer) => {
    const gateway = await startJsonServer(() => answer);
    onTestFinished(() => gateway.close());
    const memory = untilTestEnds(new LaminaClient({ url: gateway.url })).as({ userId: 'alice' });
    const turn = await memory.turnContext({ message: MESSAGE, limit: 3 });
    expect(turn).toMatchObject({ ...WITHOUT, receipt: { taken: [], counts: { taken: 0 }, settings: { limit: 3 } } });
    expect(turn.warnings).toEqual([expect.stringMatching(/^Memory could not be asked\. Something that is not Lamina/)]);
    await expect(memory.turnContext({ message: '' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('an answer of a later version, which says more, is taken as it is', async () => {
    const opened = untilTestEnds(await openLamina());
    const real = await opened.lamina.as({ userId: 'alice' }).turnContext({ message: MESSAGE });
    const later = { ...real, more: 1, receipt: { ...real.receipt, counts: { ...real.receipt.counts, more: 1 } } };
    expect(await turnContextOver((async () => later) as never, { message: MESSAGE })).toEqual(later);
  });

  it('a refusal is not taken for an outage', async () => {
    const opened = untilTestEnds(await openLamina());
    const refuse = (): never => {
      throw new LaminaError('UNAUTHORIZED', 'Nobody may come in.');
    };
    const served = untilTestEnds(await serveLamina(opened.lamina, { authenticate: refuse }));
    const memory = untilTestEnds(new LaminaClient({ url: served.url })).as({ userId: 'alice' });
    await expect(memory.turnContext({ message: MESSAGE })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('a turn goes on without memory that is closed', async () => {
    const opened = untilTestEnds(await openLamina());
    const memory = opened.lamina.as({ userId: 'alice' });
    await opened.lamina.close();
    const turn = await memory.turnContext({ message: MESSAGE, recentTurns: 2, working: { planId: 'p' } });
    expect(turn).toMatchObject(WITHOUT);
    expect(turn.warnings?.length).toBeGreaterThan(0);
  });
});

describeOnRedis('while a part of memory is down', () => {
  it('the parts that can be read are there, and the others are named', async () => {
    const redis = untilTestEnds(await RedisServer.create());
    const opened = untilTestEnds(await openLamina({ redis: redis.url }));
    const memory = opened.lamina.as({ userId: 'alice' });
    await memory.add({ content: 'The harbour freezes in January', layer: 'user' });
    await memory.working.set({ planId: 'p', key: 'step', value: 1 });
    const asked = { message: MESSAGE, working: { planId: 'p' }, threshold: 0 };
    const whole = await memory.turnContext(asked);
    expect([whole.degraded, Object.keys(parsePrompt(whole.prompt).sections)]).toEqual([
      false,
      ['Relevant Memory', 'Working State'],
    ]);
    await redis.kill();
    const turn = await memory.turnContext(asked);
    expect(parsePrompt(turn.prompt).sections).toEqual({ 'Relevant Memory': ['The harbour freezes in January'] });
    expect(turn.degraded).toBe(true);
    expect(turn.warnings).toEqual([expect.stringMatching(/^Working memory could not be read\. .*Redis/)]);
  });
});
