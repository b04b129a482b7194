/** Events over HTTP: the format, resuming, and the end of a stream. */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { systemClock } from '../src/compose/system.ts';
import { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { EventLog } from '../src/ports/event-log.ts';
import { authenticateByCredentials } from '../src/server/authenticate-by-credentials.ts';
import { engineWith } from './engine-with.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';
import { Listener } from './server-sent-events.ts';
import { makeFolder } from './sqlite-folder.ts';

const PATH = '/v1/memory/events';

async function started(): Promise<OpenLamina & { readonly url: string }> {
  const opened = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(opened.lamina));
  return { ...opened, url };
}

interface Counting {
  readonly url: string;
  /** How many watch. */
  readonly watching: () => number;
}

/** A service on an engine that counts who watches, and tells where its log ends when `isReady`. */
async function counting(isReady: Promise<void> = Promise.resolve()): Promise<Counting> {
  const folder = await makeFolder();
  const engine = new SqliteEngine({ folder, clock: systemClock });
  const { events } = engine;
  let watching = 0;
  const watch: EventLog['watch'] = (tenantId, wake) => {
    watching += 1;
    const stop = events.watch(tenantId, wake);
    return () => {
      stop();
      watching -= 1;
    };
  };
  const head: EventLog['head'] = async (...of) => {
    await isReady;
    return events.head(...of);
  };
  const read: EventLog['read'] = (...of) => events.read(...of);
  const readPool: EventLog['readPool'] = (...of) => events.readPool(...of);
  const watchAll: EventLog['watchAll'] = (...of) => events.watchAll(...of);
  const counted: EventLog = { watch, watchAll, head, read, readPool };
  // Everything else of it is the real one's.
  const { lamina } = untilTestEnds(await openLamina({ engine: engineWith(engine, { events: counted }), folder }));
  const { url } = untilTestEnds(await serveLamina(lamina));
  return { url, watching: () => watching };
}

const add = async ({ root }: OpenLamina, content: string): Promise<string> =>
  (await root.add({ content, layer: 'company' })).memory.id;

describe('a stream of events', () => {
  it('says at once where it begins, then what happens', async () => {
    const opened = await started();
    const listener = new Listener(opened.url + PATH);
    await listener.until(({ lastId }) => lastId !== undefined);
    expect(listener.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(listener.text).toMatch(/^content-type: text\/event-stream; charset=utf-8\r$/im);
    expect(listener.text).toMatch(/^cache-control: no-store\r$/im);
    expect(listener.text).toMatch(/^x-request-id: /im);
    const id = await add(opened, 'tea');
    await listener.until(({ events }) => events.length === 1);
    const [event] = listener.events;
    expect(event).toMatchObject({ event: 'created', data: { type: 'created', memory_id: id, version: 1 } });
    expect(event?.data.id).toBe(event?.id);
    expect(Object.keys(event?.data ?? {}).toSorted()).toEqual(['at', 'id', 'memory_id', 'type', 'version']);
    listener.close();
  });

  it('resumes after Last-Event-ID, which counts more than the query', async () => {
    const opened = await started();
    const { position } = await opened.root.events.position({});
    const ids = [await add(opened, 'one'), await add(opened, 'two'), await add(opened, 'three')];
    const byQuery = new Listener(`${opened.url}${PATH}?after=${encodeURIComponent(position)}`);
    await byQuery.until(({ events }) => events.length === 3);
    expect(byQuery.events.map(({ data }) => data.memory_id)).toEqual(ids);
    const second = byQuery.events[1]?.id ?? '';
    const byHeader = new Listener(`${opened.url}${PATH}?after=${encodeURIComponent(position)}`, {
      'Last-Event-ID': second,
    });
    await byHeader.until(({ events }) => events.length === 1);
    expect(byHeader.events.map(({ data }) => data.memory_id)).toEqual(ids.slice(2));
    for (const listener of [byQuery, byHeader]) listener.close();
  });

  it('that has heard nothing can still be resumed', async () => {
    const opened = await started();
    const first = new Listener(opened.url + PATH);
    await first.until(({ lastId }) => lastId !== undefined);
    first.close();
    const id = await add(opened, 'in between');
    const second = new Listener(opened.url + PATH, { 'Last-Event-ID': first.lastId ?? '' });
    await second.until(({ events }) => events.length === 1);
    expect(second.events[0]?.data.memory_id).toBe(id);
    second.close();
  });

  it('is refused like any other call', async () => {
    const { url } = await started();
    const answer = await fetch(`${url}${PATH}?after=nowhere`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
    expect(await answer.json()).toMatchObject({ code: 'VALIDATION_FAILED', operation: 'events.follow' });
    expect((await fetch(`${url}${PATH}?colour=red`)).status).toBe(400);
  });

  it('ends when the service closes, which does not wait for it', async () => {
    const opened = untilTestEnds(await openLamina());
    const served = await serveLamina(opened.lamina);
    const listener = new Listener(served.url + PATH);
    await listener.until(({ lastId }) => lastId !== undefined);
    await served.close();
    await listener.until(({ isOver }) => isOver);
    // The end of a chunked answer, and not just of the connection.
    expect(listener.text).toMatch(/\r\n0\r\n\r\n$/);
  });

  it('lets go of everything when whoever listens leaves', async () => {
    const { url, watching } = await counting();
    const listeners = Array.from({ length: 5 }, () => new Listener(url + PATH));
    for (const listener of listeners) await listener.until(({ lastId }) => lastId !== undefined);
    expect(watching()).toBe(5);
    for (const listener of listeners) listener.close();
    await expect.poll(watching).toBe(0);
  });

  it('lets go of everything also when they leave before it has begun', async () => {
    const gate = Promise.withResolvers<void>();
    const { url, watching } = await counting(gate.promise);
    const listeners = Array.from({ length: 5 }, () => new Listener(url + PATH));
    await expect.poll(watching).toBe(5);
    for (const listener of listeners) listener.close();
    // The server hears of it before the database answers.
    await setTimeout(50);
    gate.resolve();
    await expect.poll(watching).toBe(0);
  });

  it('lets go of everything also when they leave while it is found out who they are', async () => {
    const held: (() => void)[] = [];
    const authenticate = async (): Promise<Principal> => {
      if (held.length < 3) await new Promise<void>((resolve) => held.push(resolve));
      return { tenantId: NIL_TENANT, userId: 'alice' };
    };
    const { lamina } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina, { authenticate, limits: { streams: 1 } }));
    const leaving = [1, 2, 3].map(() => new Listener(url + PATH));
    await expect.poll(() => held.length).toBe(3);
    for (const listener of leaving) listener.close();
    // The service has to hear of it first.
    await setTimeout(100);
    for (const release of held) release();
    await setTimeout(50);
    const listener = new Listener(url + PATH);
    await listener.until(({ lastId }) => lastId !== undefined);
    listener.close();
  });

  it('shows that it is alive, and how far it has come without anything to tell', async () => {
    const opened = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(opened.lamina, { heartbeatMs: 20 }));
    const listener = new Listener(url + PATH);
    await listener.until(({ text }) => text.includes('\n:\n\n'));
    const began = listener.lastId;
    await opened.lamina.as({ userId: 'somebody else' }).add({ content: 'secret', layer: 'user' });
    await listener.until(({ lastId }) => lastId !== began);
    expect(listener.events).toEqual([]);
    const id = await add(opened, 'for everyone');
    await listener.until(({ events }) => events.length === 1);
    expect(listener.events[0]?.data.memory_id).toBe(id);
    listener.close();
  });

  it('ends when whoever listens may not any more', async () => {
    const opened = untilTestEnds(await openLamina());
    const { key, keyId } = await opened.root.keys.create({ name: 'ears', userId: 'u' });
    const verifyKey = (text: string): Promise<Principal | null> => opened.lamina.principalOfKey(text);
    const verifyToken = (): never => expect.unreachable();
    const authenticate = authenticateByCredentials({ verifyKey, verifyToken });
    const { url } = untilTestEnds(await serveLamina(opened.lamina, { authenticate, heartbeatMs: 20 }));
    const listener = new Listener(url + PATH, { 'X-API-Key': key });
    await listener.until(({ text }) => text.includes('\n:\n\n'));
    await opened.root.keys.revoke({ keyId });
    await listener.until(({ text }) => text.endsWith('\r\n0\r\n\r\n'));
    await add(opened, 'not for these ears');
    expect(listener.events).toEqual([]);
    listener.close();
  });

  it('is described as such', async () => {
    const { url } = await started();
    const document = await (await fetch(`${url}/openapi.json`)).json();
    const { responses, parameters } = document.paths[PATH].get;
    expect(Object.keys(responses[200].content)).toEqual(['text/event-stream']);
    expect(parameters.map(({ name }: { name: string }) => name)).toContain('Last-Event-ID');
    expect(document.components.schemas.Event.properties).toHaveProperty('memory_id');
  });
});

describe('a client that follows', () => {
  it('goes on by itself where the service comes back', async () => {
    const opened = untilTestEnds(await openLamina());
    let served = await serveLamina(opened.lamina);
    const { port } = new URL(served.url);
    const client = untilTestEnds(new LaminaClient({ url: served.url, retry: { initialDelayMs: 10 } }));
    const { position } = await client.as().events.position({});
    const seen: string[] = [];
    const written: string[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const { memoryId } of client.as().events.follow({ after: position, signal: stop.signal }))
        seen.push(memoryId);
    })();
    for (let round = 0; round < 3; round += 1) {
      written.push(await add(opened, `before ${round}`));
      await expect.poll(() => seen).toEqual(written);
      await served.close();
      written.push(await add(opened, `while it was gone ${round}`));
      served = await serveLamina(opened.lamina, {}, Number(port));
    }
    await expect.poll(() => seen).toEqual(written);
    stop.abort();
    await following;
    await served.close();
  });

  it('is told when the service refuses for good', async () => {
    const opened = untilTestEnds(await openLamina());
    const isAllowed = { yes: true };
    const { url } = untilTestEnds(
      await serveLamina(opened.lamina, {
        authenticate: () => {
          if (!isAllowed.yes) throw new LaminaError('UNAUTHORIZED', 'Not any more.');
          return { tenantId: NIL_TENANT, userId: 'local' };
        },
      }),
    );
    const client = untilTestEnds(new LaminaClient({ url }));
    isAllowed.yes = false;
    const refused = client.as().events.follow()[Symbol.asyncIterator]().next();
    await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED', operation: 'events.follow' });
  });

  it('is told when it is closed itself', async () => {
    const { url } = await started();
    const client = new LaminaClient({ url });
    const next = client.as().events.follow()[Symbol.asyncIterator]().next();
    void setTimeout(50).then(() => client.close());
    await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

it('whoever follows an embedded Lamina is told when it is closed', async () => {
  const { lamina, close } = await openLamina();
  const next = lamina.as({ userId: 'u' }).events.follow()[Symbol.asyncIterator]().next();
  void setTimeout(50).then(() => close());
  await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
