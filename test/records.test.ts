/** The record stores over SQLite, and the records over HTTP: paths, statuses, headers and fields as the specification has them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordContract } from '../src/testing/record-contract.ts';
import { caller, type Call } from './http-caller.ts';
import { openLamina, serveLamina, type OpenLamina, type ServedLamina } from './running-lamina.ts';
import { filesIn } from './sqlite-folder.ts';
import { openSqliteSubject } from './sqlite-subject.ts';

recordContract({ describe, it }, 'SQLite', openSqliteSubject);

describe('records over HTTP', () => {
  let opened: OpenLamina;
  let served: ServedLamina;
  let call: Call;

  beforeAll(async () => {
    opened = await openLamina();
    served = await serveLamina(opened.lamina);
    call = caller(`${served.url}/v1/memory`);
  });

  afterAll(async () => {
    await served.close();
    await opened.close();
  });

  it('task contexts: the calls of the specification', async () => {
    const created = await call('POST', '/task-context', {
      task_id: 'task-123',
      plan_id: 'plan-456',
      event_type: 'research.requested',
      response_event: 'research.completed',
      data: { someKey: 1 },
      sub_tasks: [],
      state: {},
    });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ task_id: 'task-123', created_at: expect.stringMatching(/Z$/) });
    const changed = await call('PUT', '/task-context/task-123', {
      sub_tasks: ['subtask-1', 'subtask-2'],
      state: { progress: 0.75 },
    });
    expect(changed.status).toBe(200);
    const read = await call('GET', '/task-context/task-123');
    expect(read.status).toBe(200);
    expect(read.json).toEqual({
      task_id: 'task-123',
      plan_id: 'plan-456',
      event_type: 'research.requested',
      response_event: 'research.completed',
      response_topic: 'action-results',
      data: { someKey: 1 },
      sub_tasks: ['subtask-1', 'subtask-2'],
      state: { progress: 0.75 },
      version: expect.any(Number),
      created_at: created.json.created_at,
      updated_at: expect.any(String),
    });
    expect((await call('GET', '/task-context/by-subtask/subtask-2')).json).toEqual(read.json);
    const absent = await call('GET', '/task-context/by-subtask/subtask-3');
    const foreign = await call('GET', '/task-context/by-subtask/subtask-2', undefined, {
      'X-Tenant-ID': '00000000-0000-0000-0000-0000000000aa',
    });
    for (const answer of [absent, foreign]) {
      expect(answer.status).toBe(404);
      expect({ ...answer.json, request_id: '' }).toEqual({ ...absent.json, request_id: '' });
    }
    expect(await call('DELETE', '/task-context/task-123')).toMatchObject({ status: 204, etag: null, text: '' });
    expect((await call('DELETE', '/task-context/task-123')).status).toBe(404);
    expect((await call('PUT', '/task-context/task-123', { state: {} })).status).toBe(404);
  });

  it('task contexts: a task may be called by-subtask, and a slash is part of an id', async () => {
    for (const taskId of ['by-subtask', 'by-subtask/x', 'a/b']) {
      expect((await call('POST', '/task-context', { task_id: taskId, event_type: 'e', sub_tasks: ['x'] })).status).toBe(
        201,
      );
      const path = `/task-context/${encodeURIComponent(taskId)}`;
      expect((await call('GET', path)).json.task_id).toBe(taskId);
      expect((await call('PUT', path, { state: { a: 1 } })).json.state).toEqual({ a: 1 });
    }
    expect((await call('GET', '/task-context/by-subtask/x')).json.sub_tasks).toEqual(['x']);
  });

  it('If-Match and ETag: a version is changed once', async () => {
    const { etag } = await call('POST', '/task-context', { task_id: 'versioned', event_type: 'e' });
    expect(etag).toMatch(/^"\d+"$/);
    const match = { 'If-Match': etag ?? '' };
    const changed = await call('PUT', '/task-context/versioned', { state: { n: 1 } }, match);
    expect(changed.status).toBe(200);
    expect(changed.etag).not.toBe(etag);
    const stale = await call('PUT', '/task-context/versioned', { state: { n: 2 } }, match);
    expect([stale.status, stale.json.code]).toEqual([409, 'VERSION_CONFLICT']);
    expect((await call('DELETE', '/task-context/versioned', undefined, match)).status).toBe(409);
    expect(
      (await call('DELETE', '/task-context/versioned', undefined, { 'If-Match': changed.etag ?? '' })).status,
    ).toBe(204);
    expect((await call('PUT', '/task-context/versioned', {}, { 'If-Match': '*' })).status).toBe(400);
  });

  it('plans: the calls of the specification', async () => {
    const plan = {
      plan_id: 'plan-123',
      goal_event: 'research.goal',
      goal_data: { topic: 'AI trends' },
      status: 'running',
    };
    expect((await call('POST', '/plans', plan)).status).toBe(201);
    const duplicate = await call('POST', '/plans', plan);
    expect([duplicate.status, duplicate.json.code]).toEqual([409, 'VERSION_CONFLICT']);
    expect(duplicate.json.message).toContain('taken');
    await call('POST', '/plans', { ...plan, plan_id: 'plan-124', status: 'completed' });
    const active = await call('GET', '/plans?status=active&limit=10');
    expect(active.json).toEqual({ plans: [expect.objectContaining(plan)], count: 1, next_cursor: null });
    const paged = await call('GET', '/plans?limit=1');
    expect(paged.json.count).toBe(1);
    expect((await call('GET', `/plans?limit=1&cursor=${paged.json.next_cursor}`)).json.next_cursor).toBeNull();
    expect((await call('GET', '/plans?status=done')).status).toBe(400);
    const done = await call('PUT', '/plans/plan-123', { status: 'completed', state: { a: 1 } });
    expect(done.json).toMatchObject({ status: 'completed', state: { a: 1 }, goal_data: plan.goal_data });
    const reopened = await call('PUT', '/plans/plan-123', { status: 'running' });
    expect([reopened.status, reopened.json.code]).toEqual([409, 'VERSION_CONFLICT']);
    const bob = { 'X-User-ID': 'bob' };
    expect((await call('GET', '/plans/plan-123', undefined, bob)).status).toBe(404);
    expect((await call('POST', '/plans', plan, bob)).status).toBe(409);
    expect((await call('PUT', '/plans/nowhere', { status: 'failed' })).status).toBe(404);
    expect((await call('GET', `/plans/${'x'.repeat(101)}`)).status).toBe(400);
    expect((await call('DELETE', '/plans/plan-123')).status).toBe(204);
    expect((await call('DELETE', '/plans/plan-123')).status).toBe(404);
  });

  it('plan contexts: the state machine of a planner', async () => {
    const state = {
      states: { start: { transitions: [{ on_event: 'go', to_state: 'end' }] }, end: { is_terminal: true } },
    };
    const context = { plan_id: 'pc', goal_event: 'g', state, current_state: 'start', correlation_ids: ['task-1'] };
    expect((await call('POST', '/plan-context', context)).status).toBe(201);
    expect((await call('POST', '/plan-context', context)).status).toBe(201);
    expect((await call('GET', '/plan-context/by-correlation/task-1')).json).toMatchObject(context);
    expect((await call('GET', '/plan-context/by-correlation/pc')).json).toMatchObject(context);
    expect((await call('GET', '/plan-context/by-correlation/task-2')).status).toBe(404);
    const unknown = await call('PUT', '/plan-context/pc', { current_state: 'nowhere' });
    expect([unknown.status, unknown.json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(unknown.json.message).toContain('current_state');
    expect((await call('PUT', '/plan-context/pc', { current_state: 'end' })).json.current_state).toBe('end');
    expect((await call('DELETE', '/plan-context/pc')).status).toBe(204);
    expect((await call('GET', '/plan-context/pc')).status).toBe(404);
  });

  it('sessions: the calls of the specification', async () => {
    const session = { session_id: 'sess-456', agent_id: 'research-advisor', metadata: { source: 'web-ui' } };
    expect((await call('POST', '/sessions', session)).status).toBe(201);
    expect((await call('POST', '/sessions', session)).status).toBe(409);
    const listed = await call('GET', '/sessions?limit=10');
    expect(listed.json).toMatchObject({ sessions: [session], count: 1, next_cursor: null });
    expect((await call('GET', '/sessions?agent_id=other')).json.count).toBe(0);
    const touched = await call('PUT', '/sessions/sess-456', { last_interaction: '2026-01-11T10:35:00Z' });
    expect(touched.json.last_interaction).toBe('2026-01-11T10:35:00.000Z');
    expect((await call('PUT', '/sessions/sess-456', {})).json.last_interaction > '2026-01-12').toBe(true);
    expect((await call('PUT', '/sessions/sess-456', { ended: true })).json.ended_at).toEqual(expect.any(String));
    expect((await call('DELETE', '/sessions/sess-456')).status).toBe(204);
    expect((await call('GET', '/sessions/sess-456')).status).toBe(404);
  });

  it('cascade travels in the query, and answers as without it', async () => {
    await call('POST', '/plans', { plan_id: 'c', goal_event: 'g' });
    await call('PUT', '/working/c/key', { value: 1 });
    await call('POST', '/task-context', { task_id: 'c-task', event_type: 'e', plan_id: 'c' });
    expect((await call('PUT', '/plans/c?cascade=true', { state: {} })).status).toBe(400);
    expect((await call('PUT', '/plans/c?cascade=perhaps', { status: 'failed' })).status).toBe(400);
    expect((await call('GET', '/working/c/key')).status).toBe(200);
    const finished = await call('PUT', '/plans/c?cascade=true', { status: 'failed' });
    expect([finished.status, finished.json.status]).toEqual([200, 'failed']);
    expect((await call('GET', '/working/c/key')).status).toBe(404);
    expect((await call('GET', '/task-context/c-task')).status).toBe(404);
    expect((await call('DELETE', '/plans/c?cascade=true')).status).toBe(204);
    expect((await call('DELETE', '/plans/c?cascade=true')).status).toBe(404);
  });

  it('a tenant that only asks gets no file', async () => {
    const stranger = { 'X-Tenant-ID': '00000000-0000-0000-0000-0000000000bb' };
    const before = (await filesIn(opened.folder)).length;
    for (const path of ['/plans', '/plans/p', '/sessions', '/task-context/t', '/task-context/by-subtask/s']) {
      await call('GET', path, undefined, stranger);
    }
    await call('PUT', '/task-context/t', { state: {} }, stranger);
    await call('DELETE', '/plans/p?cascade=true', undefined, stranger);
    expect((await filesIn(opened.folder)).length).toBe(before);
  });
});
