/** Preconditions over HTTP: a change that was meant for another version never happens, and none goes unnoticed. */

import { describe, expect, it } from 'vitest';
import { caller, type Call } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

async function start(): Promise<Call> {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  return caller(`${url}/v1/memory`);
}

describe('If-Match', () => {
  it('keeps an entry from being changed or deleted by whoever saw another version', async () => {
    const call = await start();
    const added = await call('POST', '/entries', { content: 'First', layer: 'user' });
    expect(added.etag).toBe('"1"');
    const path = `/entries/${added.json.memory.id}`;
    const changed = await call('PATCH', path, { content: 'Second' }, { 'If-Match': '"1"' });
    expect([changed.status, changed.etag]).toEqual([200, '"2"']);
    const stale = await call('PATCH', path, { content: 'Third' }, { 'If-Match': '"1"' });
    expect(stale).toMatchObject({ status: 409, json: { code: 'VERSION_CONFLICT', details: { current_version: 2 } } });
    expect((await call('DELETE', path, undefined, { 'If-Match': '"1"' })).status).toBe(409);
    expect(await call('GET', path)).toMatchObject({ etag: '"2"', json: { memory: { content: 'Second' } } });
    expect((await call('DELETE', path, undefined, { 'If-Match': '"2"' })).status).toBe(200);
  });

  it('is refused where nobody would look at it', async () => {
    const call = await start();
    await call('POST', '/plans', { plan_id: 'p', goal_event: 'goal' });
    const answer = await call('DELETE', '/plans/p', undefined, { 'If-Match': '"999"' });
    expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_FAILED' } });
    expect((await call('GET', '/plans/p')).status).toBe(200);
  });
});

describe('If-None-Match: *', () => {
  it('writes a value only where there is none', async () => {
    const call = await start();
    const put = (value: number): ReturnType<Call> => call('PUT', '/working/p/k', { value }, { 'If-None-Match': '*' });
    expect((await put(1)).status).toBe(200);
    expect(await put(2)).toMatchObject({ status: 409, json: { code: 'VERSION_CONFLICT' } });
    expect((await call('GET', '/working/p/k')).json.value).toBe(1);
    expect((await call('POST', '/entries', { content: 'x', layer: 'user' }, { 'If-None-Match': '*' })).status).toBe(
      400,
    );
  });
});
