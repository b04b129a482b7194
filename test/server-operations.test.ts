/** The operations over HTTP: spellings, coercion, principals, absence. */

import { describe, expect, it } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { OPERATIONS } from '../src/operations/table.ts';
import { startServer } from './server/running-server.ts';

const ENTRIES = '/v1/memory/entries';
const ABSENT_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';

describe('entries over HTTP', () => {
  it('are added, found, read, changed, listed and deleted', async () => {
    const { call } = await startServer();
    const added = await call('POST', ENTRIES, { content: 'Ada likes tea', layer: 'user', decay_factor: 0.5 });
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({ status: 'created', embedding_generated: true });
    expect(added.json.memory).toMatchObject({
      decay_factor: 0.5,
      identifiers: { user_id: 'local' },
      owner_id: 'local',
    });
    const path = `${ENTRIES}/${added.json.memory.id}`;

    const found = await call('POST', `${ENTRIES}/search`, { query: 'tea' });
    expect(found.status).toBe(200);
    expect(found.json).toMatchObject({ total_count: 1, searched_layers: ['user'] });

    expect((await call('GET', path)).json.memory.content).toBe('Ada likes tea');
    const changed = await call('PATCH', path, { content: 'Ada likes green tea', expected_version: 1 });
    expect(changed.json).toMatchObject({ embedding_regenerated: true, memory: { version: 2, previous_version: 1 } });
    const history = await call('GET', `${path}/versions`);
    expect(history.json.versions.map((each: { replaced_at: unknown }) => each.replaced_at === null)).toEqual([
      true,
      false,
    ]);

    expect((await call('GET', `${ENTRIES}?layer=user`)).json).toMatchObject({ total_count: 1, next_cursor: null });
    expect((await call('DELETE', path)).json).toEqual({ success: true });
    expect((await call('DELETE', path)).status).toBe(404);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('are added in batches and forgotten', async () => {
    const { call, core } = await startServer();
    const memories = [1, 2, 3].map((n) => ({ content: `memory ${n}`, layer: 'user' }));
    const batch = await call('POST', `${ENTRIES}/batch`, { memories });
    expect(batch.status).toBe(201);
    const ids = batch.json.results.map((result: { memory: { id: string } }) => result.memory.id);
    expect((await call('POST', `${ENTRIES}/forget`, { ids: ids.slice(1) })).json).toEqual({ deleted_count: 2 });
    expect([...core.stored.keys()]).toEqual([ids[0]]);
  });

  it('answer with every field in snake_case, and metadata as it came', async () => {
    const { call } = await startServer();
    const metadata = {
      someKey: 1,
      user_id: 2,
      userId: 3,
      nested: { decayFactor: [{ externalId: 'x' }] },
      constructor: 4,
    };
    const { json } = await call('POST', ENTRIES, { content: 'x', layer: 'user', metadata });
    expect(json.memory.metadata).toEqual(metadata);
    const { metadata: _, ...rest } = json.memory;
    const names = JSON.stringify(rest).match(/"\w+":/g) ?? [];
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  it('take camelCase bodies too, but not both spellings of one field', async () => {
    const { call, core } = await startServer();
    const camel = await call('POST', ENTRIES, { content: 'x', layer: 'user', externalId: 'e', decayFactor: 0.25 });
    expect(camel.json.memory).toMatchObject({ external_id: 'e', decay_factor: 0.25 });
    const both = await call('POST', ENTRIES, { content: 'x', layer: 'user', external_id: 'a', externalId: 'b' });
    expect(both.status).toBe(400);
    expect(both.json.code).toBe('VALIDATION_FAILED');
    expect(both.json.message).toContain('"external_id" and "externalId"');
    expect(core.calls.length).toBe(1);
  });

  it('have a route for each operation in the table', async () => {
    const { call } = await startServer();
    for (const { http } of Object.values(OPERATIONS)) {
      const { json } = await call(
        http.method,
        http.path.replace('{id}', 'no-uuid'),
        http.method === 'GET' ? undefined : {},
      );
      expect(['NOT_FOUND', 'METHOD_NOT_ALLOWED'], `${http.method} ${http.path}`).not.toContain(json.code);
    }
  });

  it('are absent as 404 MEMORY_NOT_FOUND in the one shape', async () => {
    const { call } = await startServer();
    const { status, json } = await call('GET', `${ENTRIES}/${ABSENT_ID}`, undefined, { 'X-Request-ID': 'my-id_1.2' });
    expect(status).toBe(404);
    expect(json).toEqual({
      code: 'MEMORY_NOT_FOUND',
      message: expect.stringContaining('no such memory') as string,
      operation: 'get',
      retryable: false,
      request_id: 'my-id_1.2',
    });
  });
});

describe('query strings', () => {
  it('are flattened and coerced by the schema', async () => {
    const { call, core } = await startServer();
    const custom = encodeURIComponent(JSON.stringify({ userId: 'kept', n: 1 }));
    const query = `layer=project&project_id=p%201&user_id=u+1&limit=7&tags=a&tags=b,c&source_type=manual&has_knowledge_pointer=false&custom=${custom}&kinds=semantic&kinds=episodic`;
    expect((await call('GET', `${ENTRIES}?${query}`)).status).toBe(200);
    expect(core.calls[0]?.input).toEqual({
      layer: 'project',
      identifiers: { projectId: 'p 1', userId: 'u 1' },
      limit: 7,
      kinds: ['semantic', 'episodic'],
      filter: {
        tags: ['a', 'b,c'],
        sourceType: 'manual',
        hasKnowledgePointer: false,
        custom: { userId: 'kept', n: 1 },
      },
    });
  });

  it('may be camelCase', async () => {
    const { call, core } = await startServer();
    await call('GET', `${ENTRIES}?layer=user&userId=u1&hasKnowledgePointer=true`);
    expect(core.calls[0]?.input).toEqual({
      layer: 'user',
      identifiers: { userId: 'u1' },
      filter: { hasKnowledgePointer: true },
    });
  });

  it.each([
    ['limit=abc', 'limit'],
    ['limit=', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['has_knowledge_pointer=yes', 'has_knowledge_pointer'],
    ['custom=%7Bbroken', 'custom'],
    ['custom=5', 'custom'],
    ['colour=red', 'colour'],
    ['identifiers=x', 'identifiers'],
    ['user_id=', 'user_id'],
    ['user_id=a&userId=b', 'userId'],
    ['user_id=%zz', 'user_id'],
    ['user_id=%ff', 'user_id'],
    ['user_id=a%00b', 'user_id'],
    ['tags=', 'tags.0'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
  ])('refuse %s, naming the parameter', async (query, name) => {
    const { call, core } = await startServer();
    const { status, json } = await call('GET', `${ENTRIES}?layer=user&${query}`);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'VALIDATION_FAILED', operation: 'list' });
    expect(JSON.stringify(json.details)).toContain(`"${name}"`);
    expect(core.calls).toEqual([]);
  });

  it('are refused where the input is a body', async () => {
    const { call, core } = await startServer();
    const { status, json } = await call('POST', `${ENTRIES}/search?limit=1`, { query: 'x' });
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(core.calls).toEqual([]);
  });
});

describe('the principal', () => {
  it('is local in the nil tenant unless headers say otherwise', async () => {
    const { call, core } = await startServer();
    await call('GET', `${ENTRIES}?layer=user`);
    const tenant = 'ABCDEF00-0000-4000-8000-000000000001';
    await call('GET', `${ENTRIES}?layer=user`, undefined, {
      'X-Tenant-ID': tenant,
      'X-User-ID': 'Jos%C3%A9 100%25',
      'X-Agent-ID': 'helper',
    });
    expect(core.calls.map(({ principal }) => principal)).toEqual([
      { tenantId: NIL_TENANT, userId: 'local', roles: ['admin'] },
      { tenantId: tenant.toLowerCase(), userId: 'José 100%', agentId: 'helper', roles: ['member'] },
    ]);
  });

  it.each([
    ['X-Tenant-ID', 'acme'],
    ['X-Tenant-ID', ''],
    ['X-User-ID', ''],
    ['X-User-ID', 'x'.repeat(101)],
    ['X-User-ID', '100%'],
    ['X-User-ID', 'a%00b'],
    ['X-User-ID', 'Jos\u00e9'],
    ['X-Agent-ID', ''],
    ['X-Roles', 'member,king'],
  ])('is refused for a bad %s (%j), naming the header', async (header, value) => {
    const { call, core } = await startServer();
    const { status, json } = await call('GET', `${ENTRIES}?layer=user`, undefined, { [header]: value });
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(json.message).toContain(header);
    expect(json.details.problems[0].path).toBe(header);
    expect(json.details.problems[0].message).not.toMatch(/The input|X-|\.$/);
    expect(core.calls).toEqual([]);
  });

  it('comes from the given authentication, before the body is read', async () => {
    const { call, core } = await startServer({
      authenticate: ({ authorization }) => {
        if (authorization !== 'Bearer good') throw new LaminaError('UNAUTHORIZED', 'Who are you?');
        return { tenantId: NIL_TENANT, userId: 'token-user' };
      },
    });
    const refused = await call('POST', ENTRIES, 'not json');
    expect([refused.status, refused.json.code, refused.json.operation]).toEqual([401, 'UNAUTHORIZED', 'add']);
    await call('GET', `${ENTRIES}?layer=user`, undefined, { Authorization: 'Bearer good', 'X-User-ID': 'ignored' });
    expect(core.calls[0]?.principal.userId).toBe('token-user');
  });
});
