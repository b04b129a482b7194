/** The CoALA service over plain HTTP, as its documents write it: paths, parameters, bodies, status codes, fields. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { caller, type Answer, type Call } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** A user who is named is a member; whoever names none runs the machine, and may write for others. */
const AS_LOCAL = { 'X-User-ID': 'local' };
const AS_BOB = { 'X-User-ID': 'bob' };

async function serve(): Promise<{ url: string; call: Call }> {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  return { url, call: caller(`${url}/v1/memory`, AS_LOCAL) };
}

describe('/v1/memory/semantic', () => {
  it('stores, updates by external id and leaves alone what is the same', async () => {
    const { call } = await serve();
    const body = { content: 'Docker is a platform for containers', external_id: 'doc-123', metadata: { camelCase: 1 } };
    const created = await call('POST', '/semantic', body);
    expect(created).toMatchObject({
      status: 201,
      json: { status: 'created', user_id: null, public: true, memory: { ...body, layer: 'company', version: 1 } },
    });
    const { id } = created.json;
    expect(created.json.memory).toMatchObject({ id, identifiers: { company_id: NIL_TENANT } });
    expect((await call('POST', '/semantic', body)).json).toMatchObject({ status: 'unchanged', id });
    const updated = await call('POST', '/semantic', { ...body, content: 'Docker runs containers' });
    expect(updated).toMatchObject({ status: 201, json: { status: 'updated', id, memory: { version: 2 } } });
    expect((await call('GET', `/entries/${id}/versions`)).json.versions).toHaveLength(2);
  });

  it('takes public by either name, and searches with q and include_public', async () => {
    const { call } = await serve();
    const of = (content: string, more: object): Promise<Answer> =>
      call('POST', '/semantic', { content: `memo ${content}`, ...more });
    expect((await of('private', { user_id: 'local', public: false })).json).toMatchObject({ public: false });
    expect((await of('open', { user_id: 'local', is_public: true })).json).toMatchObject({ public: true });
    expect((await of('open too', { userId: 'local', isPublic: true })).json).toMatchObject({ user_id: 'local' });
    expect((await of('all', {})).json).toMatchObject({ user_id: null });
    expect((await of('forged', { user_id: 'bob' })).status).toBe(403);
    const search = async (query: string, headers = {}): Promise<string[]> => {
      const { status, json } = await call('GET', `/semantic/search?${query}&threshold=0`, undefined, headers);
      expect([status, json.count]).toEqual([200, json.results.length]);
      return json.results.map((one: { content: string }) => one.content.slice(5)).toSorted();
    };
    expect(await search('q=memo')).toEqual(['all', 'open', 'open too', 'private']);
    expect(await search('query=memo&user_id=local')).toEqual(['all', 'open', 'open too', 'private']);
    expect(await search('q=memo&include_public=false')).toEqual(['private']);
    expect(await search('q=memo', AS_BOB)).toEqual(['all', 'open', 'open too']);
    expect(await search('q=memo&limit=1')).toHaveLength(1);
    const [first] = (await call('GET', '/semantic/search?q=memo+private&limit=1')).json.results;
    expect(first).toMatchObject({ content: 'memo private', metadata: {}, user_id: 'local', public: false, tags: [] });
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['id', 'score', 'similarity', 'signals', 'created_at']));
    expect((await call('GET', '/semantic/search?q=memo&user_id=local', undefined, AS_BOB)).status).toBe(403);
  });

  it('names what is wrong as it was sent', async () => {
    const { call } = await serve();
    for (const path of ['/semantic/search', '/semantic/search?q=', '/semantic/search?q=a&query=b']) {
      const { status, json } = await call('GET', path);
      expect([status, json.code], path).toEqual([400, 'VALIDATION_FAILED']);
      expect(json.message).toMatch(/\bq\b/);
    }
    const both = await call('POST', '/semantic', { content: 'x', user_id: 'local', public: true, is_public: false });
    expect(both).toMatchObject({ status: 400, json: { details: { problems: [{ path: 'is_public' }] } } });
    expect(both.json.message).toContain('is_public');
    expect((await call('POST', '/semantic', { content: '' })).status).toBe(400);
    expect((await call('POST', '/semantic', { content: 'x', nonsense: 1 })).json.message).toContain('nonsense');
    expect((await call('POST', '/semantic', { content: 'x'.repeat(32_769) })).status).toBe(413);
  });

  it('upserts by likeness', async () => {
    const { call } = await serve();
    const content = 'Python was created by Guido van Rossum and first released in the winter of the year 1991';
    const { json } = await call('POST', '/semantic/upsert', { content, metadata: {}, dedupe_threshold: 0.95 });
    expect(json.status).toBe('created');
    expect((await call('POST', '/semantic/upsert', { content: `${content} two` })).json.status).toBe('created');
    const near = await call('POST', '/semantic/upsert', { content: `${content} one`, dedupe_threshold: 0.95 });
    expect(near).toMatchObject({ status: 201, json: { status: 'updated' } });
    expect((await call('POST', '/semantic/upsert', { content: `${content} one` })).json.status).toBe('unchanged');
    expect((await call('POST', '/semantic/upsert', { content: 'x', dedupe_threshold: 2 })).status).toBe(400);
  });
});

describe('/v1/memory/episodic', () => {
  it('logs, and reads back by time and by meaning', async () => {
    const { call } = await serve();
    const log = (content: string, more: object = {}): Promise<Answer> =>
      call('POST', '/episodic', { agent_id: 'researcher-1', role: 'user', content, ...more });
    const first = await log('What did we discuss?', { session_id: 's', turn: 1, metadata: { a: 1 } });
    expect(first).toMatchObject({
      status: 201,
      json: { agent_id: 'researcher-1', user_id: 'local', role: 'user', session_id: 's', turn: 1, metadata: { a: 1 } },
    });
    await log('Long ago', { occurred_at: '2020-01-01T00:00:00Z' });
    const page = await call('GET', '/episodic/recent?limit=1');
    expect(page).toMatchObject({ status: 200, json: { count: 1, episodes: [{ id: first.json.id }] } });
    const next = await call('GET', `/episodic/recent?limit=1&cursor=${page.json.next_cursor}`);
    expect(next.json).toMatchObject({ episodes: [{ content: 'Long ago' }], next_cursor: null });
    expect((await call('GET', '/episodic/recent?agent_id=researcher-1&session_id=s&role=user')).json.count).toBe(1);
    expect((await call('GET', '/episodic/recent?agent_id=researcher')).json.count).toBe(0);
    expect((await call('GET', '/episodic/recent?to=2020-12-31T23:59:59Z')).json.count).toBe(1);
    expect((await call('GET', '/episodic/recent?from=2020-12-31T23:59:59Z')).json.count).toBe(1);
    expect((await call('GET', '/episodic/recent', undefined, AS_BOB)).json.count).toBe(0);
    const found = await call('GET', '/episodic/search?q=what+did+we+discuss&agent_id=researcher-1');
    expect(found.json).toMatchObject({ count: 1, results: [{ id: first.json.id, session_id: 's' }] });
    expect((await call('GET', '/episodic/search?q=discuss&threshold=0&to=2020-12-31T23:59:59Z')).json.count).toBe(1);
  });

  it('refuses unknown roles, missing agents and backward ranges', async () => {
    const { call } = await serve();
    const refusals = [
      ['POST', '/episodic', { agent_id: 'a', role: 'robot', content: 'x' }, 'VALIDATION_FAILED'],
      ['POST', '/episodic', { role: 'user', content: 'x' }, 'MISSING_IDENTIFIER'],
      ['GET', '/episodic/recent?role=robot', undefined, 'VALIDATION_FAILED'],
      ['GET', '/episodic/recent?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', undefined, 'VALIDATION_FAILED'],
      ['GET', '/episodic/search?q=x&from=2026-01-02', undefined, 'VALIDATION_FAILED'],
    ] as const;
    for (const [method, path, body, code] of refusals) {
      expect(await call(method, path, body), path).toMatchObject({ status: 400, json: { code } });
    }
  });

  it('is logged once by a client whose first answer got lost', async () => {
    const { url } = await serve();
    let lost = 0;
    const client = new LaminaClient({
      url,
      retry: { initialDelayMs: 1 },
      fetch: async (target, init) => {
        const response = await globalThis.fetch(target, init);
        if (init.method === 'POST' && lost++ < 2) throw new Error('The answer got lost.');
        return response;
      },
    });
    const memory = client.as({ userId: 'local', agentId: 'a' });
    expect((await memory.episodic.log({ role: 'user', content: 'yes' })).status).toBe('unchanged');
    expect((await memory.episodic.log({ role: 'user', content: 'yes' })).status).toBe('created');
    expect((await memory.episodic.recent({})).count).toBe(2);
  });
});

describe('/v1/memory/procedural', () => {
  it('adds, lists, gives context and deletes', async () => {
    const { call } = await serve();
    const body = {
      agent_id: 'support',
      content: 'When discussing billing, check Stripe status first.',
      trigger_condition: 'User asks about billing',
      procedure_type: 'system_prompt',
    };
    const added = await call('POST', '/procedural', body);
    expect(added).toMatchObject({ status: 201, json: { ...body, user_id: 'local', status: 'created' } });
    const { id } = added.json;
    expect((await call('GET', '/procedural?agent_id=support&procedure_type=system_prompt')).json).toMatchObject({
      procedures: [{ id, ...body }],
      count: 1,
      next_cursor: null,
    });
    expect((await call('GET', '/procedural/context?q=user+asks+about+billing')).json).toMatchObject({
      procedures: [{ id, ...body, score: expect.any(Number) }],
      count: 1,
      system_prompts: [body.content],
      few_shot_examples: [],
    });
    expect((await call('POST', '/procedural', { ...body, procedure_type: 'spell' })).status).toBe(400);
    expect((await call('GET', '/procedural?procedure_type=spell')).status).toBe(400);
    expect((await call('DELETE', `/procedural/${id}`, undefined, AS_BOB)).status).toBe(404);
    expect(await call('DELETE', `/procedural/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await call('DELETE', `/procedural/${id}`)).toMatchObject({
      status: 404,
      json: { code: 'MEMORY_NOT_FOUND' },
    });
  });
});

describe('what is unchanged', () => {
  it('is not embedded again, also where no cache remembers it', async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const inputs = [
      { content: 'private', userId: 'u' },
      { content: 'public', userId: 'u', public: true },
      { content: 'of the tenant', externalId: 'e' },
    ];
    const write = async (embedder: HashEmbedder, more: object): Promise<string[]> => {
      await using lamina = await Lamina.open({ folder, embedder });
      const { semantic } = lamina.as({ userId: 'u' });
      const written = [];
      for (const input of inputs) {
        written.push(await semantic.store({ ...input, ...more }), await semantic.upsert({ ...input, ...more }));
      }
      return written.map(({ status }) => status);
    };
    const [first, second, third] = [new HashEmbedder(), new HashEmbedder(), new HashEmbedder()];
    expect(new Set(await write(first, {}))).toEqual(new Set(['created', 'unchanged']));
    expect(first.texts).toBe(3);
    expect(new Set(await write(second, {}))).toEqual(new Set(['unchanged']));
    expect(new Set(await write(third, { metadata: { a: 1 }, public: true }))).toEqual(
      new Set(['updated', 'unchanged']),
    );
    expect([second.calls, third.calls]).toEqual([0, 0]);
  });
});

describe('an admin', () => {
  it('writes knowledge for others of its tenant, and reads nothing of theirs', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const admin = lamina.as({ userId: 'root', agentId: 'console', roles: ['admin'] });
    const bob = lamina.as({ userId: 'bob' });
    const stored = await admin.semantic.store({ content: 'memo for bob', userId: 'bob' });
    expect(stored).toMatchObject({ userId: 'bob', public: false });
    expect((await bob.get({ id: stored.id })).memory).toEqual(stored.memory);
    const search = { query: 'memo', threshold: 0 };
    expect((await admin.semantic.search(search)).count).toBe(0);
    expect((await admin.get({ id: stored.id })).memory).toBeNull();
    await expect(admin.semantic.search({ ...search, userId: 'bob' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const again = await bob.semantic.store({ content: 'memo for bob', userId: 'bob' });
    expect(again).toMatchObject({ status: 'unchanged', id: stored.id });
    const stranger = lamina.as({ tenantId: '00000000-0000-0000-0000-000000000001', userId: 'root', roles: ['admin'] });
    expect((await stranger.semantic.store({ content: 'memo for bob', userId: 'bob' })).status).toBe('created');
    const member = lamina.as({ userId: 'root', roles: ['member'] });
    const forged = { content: 'memo', userId: 'bob' };
    await expect(member.semantic.store(forged)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
