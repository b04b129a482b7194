/** The memory entity of Effect's cluster: round trips, typed errors, many entities at once, over every way to memory. */

import { DateTime, Effect, Exit, Layer, Scope } from 'effect';
import { Entity, ShardingConfig, TestRunner } from 'effect/cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import {
  MemoryEntity,
  MemoryError,
  MemoryItemRecord,
  MemoryPort,
  type MemoryPortOptions,
  type StoreItemInput,
} from '../src/effect/index.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';

const item = (content: string, more: Partial<StoreItemInput> = {}): StoreItemInput => ({
  tier: 'SemanticMemory',
  scope: 'GlobalScope',
  source: 'UserSource',
  content,
  ...more,
});

let opened: OpenLamina;

beforeAll(async () => {
  opened = await openLamina();
});

afterAll(() => opened.close());

type Client = Effect.Success<ReturnType<Effect.Success<ReturnType<typeof testClient>>>>;

const testClient = (options?: MemoryPortOptions) =>
  Entity.makeTestClient(MemoryEntity, MemoryEntity.layer.pipe(Layer.provide(MemoryPort.over(opened.lamina, options))));

/** With a client of the entity of an agent. */
function withEntity<A, E>(
  agentId: string,
  work: (client: Client) => Effect.Effect<A, E>,
  options?: MemoryPortOptions,
): Promise<A> {
  const program = Effect.gen(function* () {
    const clientOf = yield* testClient(options);
    return yield* work(yield* clientOf(agentId));
  });
  return Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(ShardingConfig.layer())));
}

describe('the entity', () => {
  it('stores, retrieves, lists and forgets', () =>
    withEntity(
      'round',
      Effect.fnUntraced(function* (client) {
        const { storedIds } = yield* client.store({
          items: [
            item("The user's name is Alex", { metadataJson: '{"topic":"name"}', generatedByTurnId: 'turn-1' }),
            item('The user prefers concise responses', { source: 'AgentSource', sensitivity: 'Confidential' }),
            item('The user said hello', { tier: 'EpisodicMemory', scope: 'SessionScope', sessionId: 's' }),
          ],
        });
        expect(storedIds).toHaveLength(3);
        const [found] = yield* client.retrieve({
          query: 'What is the name of the user?',
          tier: 'SemanticMemory',
          limit: 1,
        });
        expect(found).toBeInstanceOf(MemoryItemRecord);
        expect(found).toMatchObject({
          memoryItemId: storedIds[0],
          agentId: 'round',
          tier: 'SemanticMemory',
          scope: 'GlobalScope',
          source: 'UserSource',
          content: "The user's name is Alex",
          metadataJson: '{"topic":"name"}',
          generatedByTurnId: 'turn-1',
          sessionId: null,
          sensitivity: 'Internal',
        });
        for (const time of [found?.createdAt, found?.updatedAt]) expect(DateTime.isDateTime(time)).toBe(true);
        const inSession = yield* client.listItems({ scope: 'SessionScope' });
        expect(inSession.map(({ sessionId, content }) => [sessionId, content])).toEqual([['s', 'The user said hello']]);
        const cutoffDate = DateTime.makeUnsafe('2000-01-01T00:00:00Z');
        expect((yield* client.forget({ cutoffDate })).deletedCount).toBe(0);
        expect((yield* client.forget({ itemIds: storedIds, scope: 'GlobalScope' })).deletedCount).toBe(2);
        expect(yield* client.listItems({})).toHaveLength(1);
        expect(yield* client.retrieve({ query: 'name of the user', threshold: 0, tier: 'SemanticMemory' })).toEqual([]);
      }),
    ));

  it('lists more than a page', () =>
    withEntity(
      'many',
      Effect.fnUntraced(function* (client) {
        yield* client.store({ items: Array.from({ length: 130 }, (_, n) => item(`note ${n}`)) });
        expect(yield* client.listItems({})).toHaveLength(50);
        expect(yield* client.listItems({ limit: 120 })).toHaveLength(120);
        const all = yield* client.listItems({ limit: 1000 });
        expect(new Set(all.map(({ content }) => content)).size).toBe(130);
      }),
    ));

  it('takes as a limit what it can keep', () =>
    withEntity(
      'limits',
      Effect.fnUntraced(function* (client) {
        yield* client.store({ items: [item('one'), item('two')] });
        for (const limit of [0, -1, 1.5, 100.5, Infinity, Number.NaN]) {
          const error = yield* Effect.flip(client.listItems({ limit }));
          expect([limit, error.code]).toEqual([limit, 'VALIDATION_FAILED']);
          expect(error.message).toMatch(/limit/);
        }
        expect((yield* Effect.flip(client.retrieve({ query: 'one', limit: 101 }))).code).toBe('VALIDATION_FAILED');
      }),
    ));

  it('forgets of a session what names it, and nothing else', () =>
    withEntity(
      'session',
      Effect.fnUntraced(function* (client) {
        const scopes = ['GlobalScope', 'SessionScope', 'ProjectScope'] as const;
        const items = ['s1', 's2'].flatMap((sessionId) =>
          scopes.map((scope) => item(`${scope} ${sessionId}`, { scope, sessionId })),
        );
        yield* client.store({ items: [...items, item('of none'), item('of p', { scope: 'ProjectScope' })] });
        expect((yield* client.listItems({ sessionId: 's1' })).map(({ sessionId }) => sessionId)).toEqual([
          's1',
          's1',
          's1',
        ]);
        const cutoffDate = DateTime.makeUnsafe('2999-01-01T00:00:00Z');
        expect((yield* client.forget({ cutoffDate, sessionId: 's1' })).deletedCount).toBe(3);
        expect((yield* client.forget({ sessionId: 's2' })).deletedCount).toBe(3);
        expect((yield* client.listItems({})).map(({ content }) => content).toSorted()).toEqual(['of none', 'of p']);
      }),
      { projectId: 'p' },
    ));

  it('fails with typed errors, and then has changed nothing', () =>
    withEntity(
      'errors',
      Effect.fnUntraced(function* (client) {
        const codes = [
          client.store({ items: [item('fine'), item(' ')] }),
          client.store({ items: [item('x', { scope: 'SessionScope' })] }),
          client.store({ items: [item('x', { scope: 'ProjectScope' })] }),
          client.store({ items: [item('x', { metadataJson: 'no json' })] }),
          client.store({ items: [item('x'.repeat(32_769))] }),
          client.retrieve({ query: '' }),
          client.listItems({ limit: 0 }),
          client.listItems({ limit: 1.5 }),
          client.forget({}),
        ].map((call) => Effect.flip(call as Effect.Effect<unknown, MemoryError>));
        const errors = yield* Effect.all(codes);
        for (const error of errors) expect(error).toBeInstanceOf(MemoryError);
        expect(errors.map(({ code, retryable }) => [code, retryable])).toEqual([
          ['VALIDATION_FAILED', false],
          ['MISSING_IDENTIFIER', false],
          ['MISSING_IDENTIFIER', false],
          ['VALIDATION_FAILED', false],
          ['CONTENT_TOO_LONG', false],
          ...Array.from({ length: 4 }, () => ['VALIDATION_FAILED', false]),
        ]);
        expect(errors[2]?.message).toMatch(/projectId/);
        expect(yield* client.listItems({})).toEqual([]);
        // By its tag, as Effect has it.
        const told = yield* client.forget({}).pipe(Effect.catchTag('MemoryError', ({ code }) => Effect.succeed(code)));
        expect(told).toBe('VALIDATION_FAILED');
      }),
    ));

  it('of an id that no agent can have fails, too', () =>
    withEntity(
      '..',
      Effect.fnUntraced(function* (client) {
        expect((yield* Effect.flip(client.listItems({}))).code).toBe('VALIDATION_FAILED');
      }),
    ));

  it('waits for what can pass', () =>
    withEntity(
      'patient',
      Effect.fnUntraced(function* (client) {
        opened.embedder.fail = true;
        setTimeout(() => (opened.embedder.fail = false), 300);
        expect((yield* client.store({ items: [item('after a while')] })).storedIds).toHaveLength(1);
      }),
    ));

  it('does a message once by its request id', () =>
    withEntity(
      'once',
      Effect.fnUntraced(function* (client) {
        const items = [item('It happened', { tier: 'EpisodicMemory' })];
        const first = yield* client.store({ items, requestId: 'turn-7' });
        const others = yield* Effect.all(
          Array.from({ length: 3 }, () => client.store({ items, requestId: 'turn-7' })),
          { concurrency: 'unbounded' },
        );
        for (const again of others) expect(again).toEqual(first);
        yield* client.store({ items });
        yield* client.store({ items });
        expect(yield* client.listItems({})).toHaveLength(3);
      }),
    ));

  it('has the project that it was wired with', () =>
    withEntity(
      'project',
      Effect.fnUntraced(function* (client) {
        yield* client.store({ items: [item('The build takes long', { scope: 'ProjectScope' })] });
        expect(yield* client.listItems({ scope: 'ProjectScope' })).toHaveLength(1);
        expect((yield* client.retrieve({ query: 'build' })).map(({ scope }) => scope)).toEqual(['ProjectScope']);
      }),
      { projectId: 'p' },
    ));

  it('is of the principal that it was wired with', async () => {
    const stored = (name: string, options: MemoryPortOptions): Promise<unknown> =>
      withEntity('same', (client) => client.store({ items: [item(`of ${name}`)] }), options);
    const listed = (options: MemoryPortOptions): Promise<string[]> =>
      withEntity(
        'same',
        (client) => Effect.map(client.listItems({}), (all) => all.map(({ content }) => content)),
        options,
      );
    const perAgent: MemoryPortOptions = { principal: (agentId) => ({ userId: `owner of ${agentId}` }) };
    await stored('bob', { principal: { userId: 'bob' } });
    await stored('agents', perAgent);
    expect(await listed({ principal: { userId: 'bob' } })).toEqual(['of bob']);
    expect(await listed(perAgent)).toEqual(['of agents']);
    expect(await listed({})).toEqual([]);
  });
});

describe('many entities', () => {
  it('keep what is theirs, in a cluster that serialises', async () => {
    const cluster = MemoryEntity.layer.pipe(
      Layer.provide(MemoryPort.over(opened.lamina)),
      Layer.provideMerge(TestRunner.layer),
    );
    const agents = Array.from({ length: 12 }, (_, n) => `cluster-${n}`);
    const program = Effect.gen(function* () {
      const clientOf = yield* MemoryEntity.client;
      yield* Effect.forEach(
        agents,
        (agentId) => {
          const client = clientOf(agentId);
          return Effect.forEach(
            Array.from({ length: 5 }, (_, n) => n),
            (n) => client.store({ items: [item(`note ${n} of ${agentId}`), item('said again')] }),
            { concurrency: 'unbounded' },
          );
        },
        { concurrency: 'unbounded' },
      );
      yield* clientOf('cluster-3').forget({ scope: 'GlobalScope' });
      return yield* Effect.forEach(agents, (agentId) => clientOf(agentId).listItems({}), { concurrency: 'unbounded' });
    });
    const lists = await Effect.runPromise(program.pipe(Effect.provide(cluster), Effect.scoped));
    for (const [index, list] of lists.entries()) {
      expect(list).toHaveLength(index === 3 ? 0 : 6);
      expect(list.every(({ agentId }) => agentId === agents[index])).toBe(true);
      expect(list.every((each) => each instanceof MemoryItemRecord)).toBe(true);
    }
  }, 30_000);

  it('answer a message that is sent again from the storage of the cluster', async () => {
    const cluster = MemoryEntity.layer.pipe(
      Layer.provide(MemoryPort.over(opened.lamina)),
      Layer.provideMerge(TestRunner.layer),
    );
    const program = Effect.gen(function* () {
      const client = (yield* MemoryEntity.client)('sent-again');
      const message = { items: [item('once', { tier: 'EpisodicMemory' })], requestId: 'm' } as const;
      const first = yield* client.store(message);
      expect(yield* client.store(message)).toEqual(first);
      const failed = yield* Effect.flip(client.store({ items: [item(' ')], requestId: 'f' }));
      expect(failed).toMatchObject({ _tag: 'MemoryError', code: 'VALIDATION_FAILED', retryable: false });
      expect(yield* client.listItems({})).toHaveLength(1);
    });
    await Effect.runPromise(program.pipe(Effect.provide(cluster), Effect.scoped));
  }, 30_000);

  it('take the same request id with something else for another message', async () => {
    const cluster = MemoryEntity.layer.pipe(
      Layer.provide(MemoryPort.over(opened.lamina)),
      Layer.provideMerge(TestRunner.layer),
    );
    const program = Effect.gen(function* () {
      const client = (yield* MemoryEntity.client)('same-id');
      const requestId = 'turn-7';
      const first = yield* client.store({ items: [item('first')], requestId });
      const second = yield* client.store({ items: [item('second')], requestId });
      expect(second).not.toEqual(first);
      // However it is spelled: what is left out, and in which order.
      const { content, ...rest } = item('first', { sessionId: undefined });
      expect(yield* client.store({ requestId, items: [{ content, ...rest }] })).toEqual(first);
      yield* Effect.flip(client.store({ items: [item(' ')], requestId }));
      yield* client.store({ items: [item('mended')], requestId });
      const contents = Effect.map(client.listItems({}), (all) => all.map((each) => each.content).toSorted());
      expect(yield* contents).toEqual(['first', 'mended', 'second']);
      const early = DateTime.makeUnsafe('2000-01-01T00:00:00Z');
      const late = DateTime.makeUnsafe('2999-01-01T00:00:00Z');
      expect((yield* client.forget({ cutoffDate: early, requestId })).deletedCount).toBe(0);
      expect((yield* client.forget({ cutoffDate: late, requestId })).deletedCount).toBe(3);
      yield* client.store({ items: [item('later')] });
      expect((yield* client.forget({ cutoffDate: late, requestId })).deletedCount).toBe(3);
      expect(yield* contents).toEqual(['later']);
    });
    await Effect.runPromise(program.pipe(Effect.provide(cluster), Effect.scoped));
  }, 30_000);
});

describe('the port', () => {
  it('opens with its layer and closes with its scope', async () => {
    let closed = 0;
    const host = {
      as: opened.lamina.as.bind(opened.lamina),
      close: async () => {
        closed += 1;
      },
    };
    const scope = Effect.runSync(Scope.make());
    const services = await Effect.runPromise(
      Layer.buildWithScope(
        MemoryPort.layer(async () => host),
        scope,
      ),
    );
    const stored = MemoryPort.use((port) => port.encode('port', [item('by the port')]));
    expect((await Effect.runPromise(Effect.provideContext(stored, services))).storedIds).toHaveLength(1);
    expect(closed).toBe(0);
    await Effect.runPromise(Scope.close(scope, Exit.void));
    expect(closed).toBe(1);
  });

  it('fails with what opening fails with', async () => {
    const { Lamina } = await import('../src/compose/lamina.ts');
    const layer = MemoryPort.layer(() => Lamina.open({ folder: 'a', database: 'sqlite:b' }));
    const exit = await Effect.runPromiseExit(Effect.scoped(Layer.build(layer)));
    expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain('CONFIGURATION_ERROR');
  });

  it('reaches a service as it does what is embedded', async () => {
    const served = untilTestEnds(await serveLamina(opened.lamina));
    const layer = MemoryPort.layer(async () => new LaminaClient({ url: served.url }));
    const program = MemoryPort.use(
      Effect.fnUntraced(function* (port) {
        const once = { requestId: 'r' };
        const items = [item('over HTTP', { tier: 'EpisodicMemory', metadataJson: '{"snake_case":1}' })];
        const first = yield* port.encode('remote', items, once);
        expect(yield* port.encode('remote', items, once)).toEqual(first);
        const [record] = yield* port.list('remote');
        expect(record).toMatchObject({ memoryItemId: first.storedIds[0], metadataJson: '{"snake_case":1}' });
        expect(yield* port.retrieve('remote', 'HTTP', { limit: 3 })).toEqual([record]);
        expect((yield* Effect.flip(port.forget('remote', {}))).code).toBe('VALIDATION_FAILED');
        const search = yield* port.use('remote', (memory) => memory.search({ query: 'HTTP', layers: ['agent'] }));
        expect(search.results[0]?.memory.id).toBe(first.storedIds[0]);
        expect((yield* port.forget('remote', { itemIds: first.storedIds })).deletedCount).toBe(1);
      }),
    );
    await Effect.runPromise(program.pipe(Effect.provide(layer), Effect.scoped));
  });
});
