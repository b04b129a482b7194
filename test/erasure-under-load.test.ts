/** Erasure while everybody writes: what was acknowledged before is gone, what comes after is whole. */

import { describe, expect, it } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { LaminaError } from '../src/domain/error.ts';
import { NOTHING_COUNTED } from '../src/domain/erasure.ts';
import type { Memory } from '../src/operations/memory.ts';
import { listed } from '../src/testing/contract-assertions.ts';
import { until, Writer } from './erasure-writer.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { tracesIn } from './sqlite-folder.ts';

describe('under load', () => {
  it('a user is erased, and others lose nothing', async () => {
    const { lamina, folder, root } = untilTestEnds(await openLamina());
    const memories = { alice: lamina.as({ userId: 'alice' }), bob: lamina.as({ userId: 'bob' }) };
    await memories.alice.addMany(
      Array.from({ length: 700 }, (_, n) => ({ content: `alice before ${n}`, layer: 'user' as const })),
    );
    const bob = new Writer(memories.bob, 'bob');
    const alice = new Writer(memories.alice, 'alice');
    await until(() => alice.acknowledged.length > 20 && bob.acknowledged.length > 20);
    alice.isErasing = true;
    const receipt = await root.admin.eraseUser({ userId: 'alice' });
    // The last of her own writes may have been on their way when she was erased.
    await alice.stop();
    const before = alice.acknowledged.filter(({ isBefore }) => isBefore).map(({ content }) => content);
    expect(receipt.counts.entries).toBeGreaterThanOrEqual(700 + before.length);
    const left = new Set(await listed(memories.alice, { layer: 'user' }));
    expect(before.filter((content) => left.has(content))).toEqual([]);
    expect([...left].filter((content) => content.startsWith('alice before'))).toEqual([]);
    await root.admin.eraseUser({ userId: 'alice' });
    expect(await root.admin.verifyErasure({ erasureId: receipt.erasureId, userId: 'alice' })).toMatchObject({
      verified: true,
      remaining: NOTHING_COUNTED,
    });
    await bob.stop();
    expect([...alice.refused, ...bob.refused]).toEqual([]);
    const kept = await listed(memories.bob, { layer: 'user' });
    expect(kept.toSorted()).toEqual(bob.acknowledged.map(({ content }) => content).toSorted());
    await lamina.close();
    const traces = ['alice before', 'alice-0 writes'].map((text) => new TextEncoder().encode(text));
    expect(await tracesIn(folder, traces)).toEqual([]);
  });

  it('a tenant is erased, and every write finishes or fails cleanly', async () => {
    const { lamina, folder, root } = untilTestEnds(await openLamina());
    const memory = lamina.as({ userId: 'alice' });
    const writer = new Writer(memory, 'alice');
    let counted = 0;
    for (let round = 0; round < 5; round += 1) {
      const seen = writer.acknowledged.length;
      await until(() => writer.acknowledged.length > seen + 20);
      writer.isErasing = true;
      const { counts } = await root.admin.eraseTenant({ tenantId: NIL_TENANT });
      expect(counts.entries).toBeGreaterThan(0);
      expect(counts.users).toBe(1);
      counted += counts.entries;
      const before = writer.acknowledged.filter(({ isBefore }) => isBefore).map(({ content }) => content);
      writer.isErasing = false;
      const left = new Set(await listed(memory, { layer: 'user' }));
      expect(before.filter((content) => left.has(content))).toEqual([]);
    }
    await writer.stop();
    for (const error of writer.refused) expect(error).toBeInstanceOf(LaminaError);
    expect(writer.refused).toEqual([]);
    // What was acknowledged after the last erasure is there, whole and searchable.
    await memory.add({ content: 'The heron flew south', layer: 'user' });
    const { results } = await memory.search({ query: 'heron', mode: 'keyword', threshold: 0 });
    expect(results.map((result) => result.memory.content)).toEqual(['The heron flew south']);
    counted += (await root.admin.eraseTenant({ tenantId: NIL_TENANT })).counts.entries;
    // Everything that was acknowledged was counted once, whichever erasure it met.
    expect(counted).toBe(writer.acknowledged.length + 1);
    await lamina.close();
    expect(await tracesIn(folder, [new TextEncoder().encode('writes')])).toEqual([]);
  });

  it('what is on its way to a tenant is waited for, and counted', async () => {
    const { root } = untilTestEnds(await openLamina());
    await root.working.set({ planId: 'p', key: 'first', value: 1 });
    const writes = [2, 3, 4].map((value) => root.working.set({ planId: 'p', key: `${value}`, value }));
    const { counts } = await root.admin.eraseTenant({ tenantId: NIL_TENANT });
    expect((await Promise.all(writes)).map(({ value }) => value)).toEqual([2, 3, 4]);
    expect(counts.state).toBe(4);
    expect(await root.working.get({ planId: 'p', key: '2' })).toBeNull();
  });

  it('two erasures of one tenant at once count everything once', async () => {
    const { root } = untilTestEnds(await openLamina());
    await root.add({ content: 'Tea', layer: 'user' });
    const erase = (): ReturnType<Memory['admin']['eraseTenant']> => root.admin.eraseTenant({ tenantId: NIL_TENANT });
    const receipts = await Promise.all([erase(), erase(), erase()]);
    expect(receipts.reduce((sum, { counts }) => sum + counts.entries, 0)).toBe(1);
    expect((await root.admin.audit({})).count).toBe(3);
  });
});
