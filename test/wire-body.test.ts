/** Whether an operation needs a body: where nothing has to be in it, none is an empty one. */

import { expect, it } from 'vitest';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { caller } from './http-caller.ts';

const ENTRIES = '/v1/memory/entries';

it('is left out where nothing has to be in it, with or without a content type', async () => {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  const call = caller(url);
  const { json } = await call('POST', ENTRIES, { content: 'Tea', layer: 'user' });
  const path = `${ENTRIES}/${json.memory.id}`;
  expect((await call('POST', `${path}/archive`)).json.memory.status).toBe('archived');
  const restored = await call('POST', `${path}/restore`, undefined, { 'Content-Type': 'application/json' });
  expect(restored.json.memory.status).toBe('active');
  expect((await call('POST', '/v1/memory/sessions')).status).toBe(201);
  for (const body of ['null', '[]', '7']) {
    const { status, json: refused } = await call('POST', `${path}/archive`, body);
    expect([status, refused.code], body).toEqual([400, 'VALIDATION_FAILED']);
  }
});

it('is asked for where something has to be in it, and where none would mean everything', async () => {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  const call = caller(url);
  await call('POST', ENTRIES, { content: 'Tea', layer: 'user' });
  for (const [path, message] of [
    [ENTRIES, /body is missing/],
    [`${ENTRIES}/search`, /body is missing/],
    [`${ENTRIES}/forget`, /./],
    ['/v1/memory/agents/helper/forget', /./],
  ] as const) {
    const { status, json } = await call('POST', path);
    expect([status, json.code], path).toEqual([400, 'VALIDATION_FAILED']);
    expect(json.message).toMatch(message);
  }
  expect((await call('GET', `${ENTRIES}?layer=user`)).json.total_count).toBe(1);
});
