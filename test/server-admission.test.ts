/** Requests that arrive together do not keep everything else from running, nor one tenant the others. */

import { setImmediate as arrival } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Admission, type Place } from '../src/server/admission.ts';
import { SliceSize } from '../src/server/slice-size.ts';

/** Longer than a turn may take. */
function block(): void {
  const until = performance.now() + 6;
  while (performance.now() < until);
}

/** Enough for all who have a place to begin, however busy the machine is. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await arrival();
}

const ROOM = { inFlight: 100, tenantInFlight: 100, sharedInFlight: 4, queueMs: 60_000 };

/** Asks for each in a callback of its own, as connections are read, and all of them in one turn. */
async function orderOf(admission: Admission, asked: readonly string[], told: string[] = []): Promise<string[]> {
  await Promise.all(
    asked.map(async (name) => {
      const [tenant = ''] = name;
      await arrival();
      const place = await admission.admit(tenant);
      block();
      told.push(name);
      admission.leave(place);
    }),
  );
  return told;
}

describe('turns of the event loop', () => {
  it('lets others in between what arrives together, in order, and leaves nobody out', async () => {
    const told: string[] = [];
    let isDone = false;
    const tick = (): void => {
      told.push('other');
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    await orderOf(new Admission(ROOM), ['a1', 'a2', 'a3'], told);
    isDone = true;
    expect(told.filter((name) => name !== 'other')).toEqual(['a1', 'a2', 'a3']);
    expect(told.slice(told.indexOf('a1'), told.indexOf('a2'))).toContain('other');
    expect(told.slice(told.indexOf('a2'), told.indexOf('a3'))).toContain('other');
  });

  it('begins together what arrives together and takes little', async () => {
    const slice = new SliceSize();
    for (let round = 0; round < 100; round += 1) slice.see(0.02);
    const admission = new Admission(ROOM, { slice });
    const told: string[] = [];
    const ask = async (name: string): Promise<void> => {
      const place = await admission.admit('a');
      told.push(`begins ${name}`);
      await Promise.resolve();
      told.push(`ends ${name}`);
      admission.leave(place);
    };
    await Promise.all([ask('one'), ask('another')]);
    expect(told).toEqual(['begins one', 'begins another', 'ends one', 'ends another']);
  });
});

describe('how many are begun together', () => {
  it('is one until it is known that they are cheap', () => {
    expect(new SliceSize().size()).toBe(1);
  });

  it('becomes more, up to a bound, as they turn out to be cheap', () => {
    const slice = new SliceSize();
    const sizes = Array.from({ length: 100 }, () => {
      slice.see(0.02);
      return slice.size();
    });
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(sizes.at(-1)).toBe(32);
  });

  it('is less while several tenants ask', () => {
    const slice = new SliceSize();
    for (let round = 0; round < 100; round += 1) slice.see(0.1);
    expect(slice.size(true)).toBeLessThan(slice.size());
  });

  it('is one again at once when they have become dear', () => {
    const slice = new SliceSize();
    for (let round = 0; round < 100; round += 1) slice.see(0.02);
    slice.see(2);
    expect(slice.size()).toBe(1);
  });

  it('counts what follows from beginning them, and not what they wait for', async () => {
    const slice = new SliceSize();
    slice.measure(1, performance.now());
    await Promise.resolve();
    block();
    await Promise.resolve();
    await arrival();
    expect(slice.size()).toBe(1);
    // However busy the machine is, this ends.
    while (slice.size() === 1) {
      slice.measure(1, performance.now());
      await arrival();
    }
  });
});

describe('tenants', () => {
  it('takes those who wait from their tenants in turns, and who has just come before who has just had one', async () => {
    const order = await orderOf(new Admission(ROOM), ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2']);
    // The first begins at once; by then the others have come.
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5']);
  });

  it('gives one that is alone as many places as there are, and only a few beside another', async () => {
    const admission = new Admission(ROOM);
    const begun = { a: 0, b: 0 };
    const places: Place[] = [];
    const ask = async (tenant: 'a' | 'b'): Promise<void> => {
      const place = await admission.admit(tenant);
      if (tenant === 'a') places.push(place);
      begun[tenant] += 1;
    };
    const end = (): void => {
      const place = places.shift();
      if (place !== undefined) admission.leave(place);
    };
    for (let request = 0; request < 20; request += 1) void ask('a');
    await turns();
    expect(begun).toEqual({ a: 20, b: 0 });
    void ask('b');
    for (let request = 0; request < 5; request += 1) void ask('a');
    await turns();
    expect(begun).toEqual({ a: 20, b: 1 });
    // Places that become free are not taken again by whoever has more than a share.
    for (let request = 0; request < 16; request += 1) end();
    await turns();
    expect(begun).toEqual({ a: 20, b: 1 });
    end();
    await turns();
    expect(begun).toEqual({ a: 21, b: 1 });
  });

  it('never has more under way than it may, of one tenant and of all', async () => {
    const admission = new Admission({ inFlight: 3, tenantInFlight: 2, sharedInFlight: 2, queueMs: 60_000 });
    const [underWay, most] = [new Map<string, number>(), new Map<string, number>()];
    const count = (name: string, change: number): void => {
      underWay.set(name, (underWay.get(name) ?? 0) + change);
      most.set(name, Math.max(most.get(name) ?? 0, underWay.get(name) ?? 0));
    };
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const tenant = index % 3 === 0 ? 'b' : 'a';
        const place = await admission.admit(tenant);
        count(tenant, 1);
        count('all', 1);
        await arrival();
        count(tenant, -1);
        count('all', -1);
        admission.leave(place);
      }),
    );
    expect(Object.fromEntries(most)).toEqual({ a: 2, b: 2, all: 3 });
  });

  it('refuses who waited for too long, and goes on', async () => {
    const admission = new Admission({ inFlight: 1, tenantInFlight: 1, sharedInFlight: 1, queueMs: 1 });
    const first = await admission.admit('a');
    await expect(admission.admit('a')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    admission.leave(first);
    admission.leave(first);
    admission.leave(await admission.admit('a'));
  });

  it('is not kept from asking by what goes on for long', async () => {
    const admission = new Admission({ ...ROOM, sharedInFlight: 1 }, { longMs: 500 });
    admission.leave(await admission.admit('b'));
    await admission.admit('a');
    const started = performance.now();
    // Somebody else has to go on asking, or the tenant would be alone.
    const other = setInterval(() => void admission.admit('b').then((place) => admission.leave(place)), 50);
    await admission.admit('a');
    clearInterval(other);
    expect(performance.now() - started).toBeGreaterThan(400);
  });
});
