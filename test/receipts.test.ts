/** Recall receipts beyond the contract: how long and how many are kept, and that a search never fails for want of one. */

import { describe, expect, it } from 'vitest';
import { openEngine } from '../src/compose/engines.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { receiptsNamespace } from '../src/domain/namespace.ts';
import { MAX_RECEIPT_CANDIDATES, MAX_RECEIPTS, RECEIPT_DAYS } from '../src/domain/recall-receipt.ts';
import { LaminaError } from '../src/domain/error.ts';
import type { Engine } from '../src/ports/engine.ts';
import type { StateStore } from '../src/ports/state-store.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ALICE = { userId: 'alice' };
const PRINCIPAL = { tenantId: '00000000-0000-0000-0000-000000000000', userId: 'alice', roles: [] };
const FERRY = { content: 'The ferry leaves at noon', layer: 'user' } as const;

describe('receipts', () => {
  it('go after their time', async () => {
    const clock = new ManualClock();
    const { lamina } = untilTestEnds(await openLamina({ clock }));
    const memory = lamina.as(ALICE);
    await memory.add(FERRY);
    const { receiptId = '' } = await memory.search({ query: 'ferry', record: true });
    clock.advance(RECEIPT_DAYS * DAY_MS - 1);
    expect(await memory.receipts.get({ receiptId })).not.toBeNull();
    await memory.receipts.mark({ receiptId, relevantIds: [] });
    clock.advance(1);
    expect(await memory.receipts.get({ receiptId })).toBeNull();
    expect((await memory.receipts.list({})).count).toBe(0);
  });

  it('make room for new ones, the oldest first', async () => {
    const folder = await makeFolder();
    const engine = await openEngine({ databaseUrl: `sqlite:${folder}` });
    const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
    try {
      const namespace = receiptsNamespace('alice');
      const keyOf = (index: number): string => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
      const old = { asked: { query: 'old' }, candidates: [], createdAt: '2026-01-01T00:00:00.000Z' };
      const keep = (index: number): Promise<unknown> =>
        engine.state.write(PRINCIPAL, namespace, keyOf(index), {
          mutation: { type: 'set', value: { ...old, receiptId: keyOf(index) } },
          expiresAt: Date.now() + DAY_MS,
          maxBytes: 1000,
        });
      await Promise.all(Array.from({ length: MAX_RECEIPTS + 2 }, (_, index) => keep(index)));
      const { receiptId = '' } = await lamina.as(ALICE).search({ query: 'ferry', record: true });
      expect((await engine.state.measure(PRINCIPAL, namespace)).count).toBe(MAX_RECEIPTS);
      const { receipts } = await lamina.as(ALICE).receipts.list({ limit: 1 });
      expect(receipts[0]?.receiptId).toBe(keyOf(3));
      expect(await lamina.as(ALICE).receipts.get({ receiptId })).not.toBeNull();
    } finally {
      await lamina.close();
      await removeFolder(folder);
    }
  });

  it('tell the best of what was looked at, and how much that was', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const memory = lamina.as(ALICE);
    const names = Array.from({ length: MAX_RECEIPT_CANDIDATES + 50 }, (_, index) => `Ferry number ${index} is late`);
    await memory.addMany(names.map((content) => ({ content, layer: 'user' as const })));
    const asked = { query: 'Is ferry number 7 late?', limit: 40, threshold: 0, record: true };
    const { receiptId = '', results } = await memory.search(asked);
    const receipt = await memory.receipts.get({ receiptId });
    expect(receipt?.candidates).toHaveLength(MAX_RECEIPT_CANDIDATES);
    expect(receipt?.candidateCount).toBeGreaterThan(MAX_RECEIPT_CANDIDATES);
    expect(results).toHaveLength(40);
    expect(receipt?.candidates.slice(0, 41).map(({ place }) => place)).toEqual([
      ...results.keys().map((index) => index + 1),
      null,
    ]);
    expect(receipt?.candidates.slice(0, 40).map(({ memoryId }) => memoryId)).toEqual(
      results.map(({ memory: { id } }) => id),
    );
    const others = receipt?.candidates.slice(40).map(({ score }) => score) ?? [];
    expect(others).toEqual(others.toSorted((a, b) => b - a));
    // A hundred candidates with all their signals stay small.
    expect(JSON.stringify(receipt).length).toBeLessThan(60_000);
  });

  it('are not what a search fails for', async () => {
    const folder = await makeFolder();
    const engine = await openEngine({ databaseUrl: `sqlite:${folder}` });
    const lamina = await Lamina.open({ engine: withoutRoom(engine), embedder: new HashEmbedder() });
    try {
      const memory = lamina.as(ALICE);
      await memory.add(FERRY);
      const found = await memory.search({ query: 'ferry', record: true });
      expect(found.results).toHaveLength(1);
      expect(found.receiptId).toBeUndefined();
      expect(found.warnings).toEqual(['The search could not be recorded.']);
    } finally {
      await lamina.close();
      await removeFolder(folder);
    }
  });

  it('are of the scope of an agent where an agent asked', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const agent = lamina.as({ ...ALICE, agentId: 'scout' });
    await agent.add({ content: 'Ferries are slow', layer: 'agent' });
    const { receiptId = '', results } = await agent.search({ query: 'ferries', record: true });
    expect(results).toHaveLength(1);
    const receipt = await lamina.as(ALICE).receipts.get({ receiptId });
    expect(receipt?.asked.identifiers).toMatchObject({ userId: 'alice', agentId: 'scout' });
  });
});

/** An engine that can write no state. */
function withoutRoom(engine: Engine): Engine {
  const full = (): never => {
    throw new LaminaError('UNAVAILABLE', 'The disk is full.');
  };
  const state = new Proxy(engine.state, {
    get(target, name): unknown {
      if (name === 'write') return full;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as StateStore['get']).bind(target) : value;
    },
  });
  return new Proxy(engine, {
    get(target, name): unknown {
      if (name === 'state') return state;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as Engine['close']).bind(target) : value;
    },
  });
}
