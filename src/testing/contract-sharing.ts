/** Contract: access lists hold, for random agents that grant, revoke, read and write: against a simple model. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, failure } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { SeededRandom } from './seeded-random.ts';
import { PoolModel, PRINCIPALS, type Access } from './sharing-model.ts';

const STEPS = 200;
const [FEWEST_POOLS, MOST_POOLS] = [4, 7];
const IDS = ['alice', 'bob', 'carol', 'x', 'y', 'nobody'];
const KEYS = ['a', 'a.b', 'c.d.e'];
const LEVELS = ['read', 'write'] as const;
const NOBODY: Access = { read: [], write: [], publicRead: false };

/** Random agents on random pools, and what they must come to. */
class Crowd {
  readonly #subject: MemorySubject;
  readonly #random: SeededRandom;
  readonly #pools = new Map<string, PoolModel>();
  readonly #acts = [this.#grant, this.#revoke, this.#share, this.#write, this.#write, this.#read, this.#ask];

  constructor(subject: MemorySubject, seed: number) {
    this.#subject = subject;
    this.#random = new SeededRandom(seed);
  }

  async step(): Promise<void> {
    const anybody = this.#random.pick(PRINCIPALS);
    const isRoomy = this.#pools.size < MOST_POOLS && this.#random.below(10) === 0;
    if (isRoomy || this.#pools.size < FEWEST_POOLS) return this.#create(anybody);
    const [poolId, pool] = this.#random.pick([...this.#pools]);
    if (this.#random.below(20) === 0) return this.#delete(anybody, poolId, pool);
    const act = this.#random.pick(this.#acts);
    // Anybody tries everything; but what only owners can do they do often, so that there is something to try.
    const isOwners = act === this.#grant || act === this.#revoke || act === this.#share;
    return act.call(this, isOwners && this.#random.below(3) > 0 ? pool.owner : anybody, poolId, pool);
  }

  /** Everyone sees exactly what is theirs to see, page by page. */
  async assertLists(): Promise<void> {
    for (const who of PRINCIPALS) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<Memory['pools']['list']>> = await this.#of(who).list({
          limit: 4,
          ...(cursor !== null && { cursor }),
        });
        seen.push(...page.pools.map(({ poolId }) => poolId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      const readable = [...this.#pools].filter(([, pool]) => pool.isReadableBy(who)).map(([poolId]) => poolId);
      assertSameMembers(seen, readable, `what ${JSON.stringify(who)} may read`);
    }
  }

  #of(who: PrincipalInput): Memory['pools'] {
    return this.#subject.as(who).pools;
  }

  async #create(who: PrincipalInput): Promise<void> {
    const poolId = this.#random.word();
    const isPrivate = this.#random.below(5) === 0;
    const access = isPrivate ? NOBODY : this.#access();
    await this.#of(who).create({ poolId, type: isPrivate ? 'agent_private' : 'shared', access });
    this.#pools.set(poolId, new PoolModel(who, isPrivate, access));
  }

  #access(): Access {
    const [read, write] = [[this.#random.pick(IDS)], [this.#random.pick(IDS)]];
    return { read, write, publicRead: this.#random.below(2) === 0 };
  }

  /** Whoever may not gets the refusal of the model; whoever may, has done it. */
  async #attempt(refusal: 'NOT_FOUND' | 'FORBIDDEN' | undefined, call: Promise<unknown>): Promise<boolean> {
    if (refusal === undefined) await call;
    else await failure(refusal, call);
    return refusal === undefined;
  }

  /** As {@link #attempt}, of what only the owner does, and of an agent's private pool nobody. */
  async #manage(who: PrincipalInput, pool: PoolModel, call: Promise<unknown>, shares: boolean): Promise<boolean> {
    const refusal = pool.refusal(who, pool.isOwnedBy(who));
    if (refusal !== undefined || !pool.isPrivate || !shares) return this.#attempt(refusal, call);
    await failure('VALIDATION_FAILED', call);
    return false;
  }

  async #grant(who: PrincipalInput, poolId: string, pool: PoolModel): Promise<void> {
    const [agentId, level] = [this.#random.pick(IDS), this.#random.pick(LEVELS)];
    const call = this.#of(who).grant({ poolId, agentId, level });
    if (await this.#manage(who, pool, call, true)) pool.grants.set(agentId, level);
  }

  async #revoke(who: PrincipalInput, poolId: string, pool: PoolModel): Promise<void> {
    const agentId = this.#random.pick(IDS);
    if (await this.#manage(who, pool, this.#of(who).revoke({ poolId, agentId }), false)) pool.grants.delete(agentId);
  }

  async #share(who: PrincipalInput, poolId: string, pool: PoolModel): Promise<void> {
    const access = this.#access();
    if (await this.#manage(who, pool, this.#of(who).update({ poolId, access }), true)) pool.share(access);
  }

  async #write(who: PrincipalInput, poolId: string, pool: PoolModel): Promise<void> {
    const [key, value] = [this.#random.pick(['a', 'c']), this.#random.word()];
    const call = this.#of(who).write({ poolId, key, value });
    if (await this.#attempt(pool.refusal(who, pool.isWritableBy(who)), call)) pool.values.set(key, value);
  }

  async #read(who: PrincipalInput, poolId: string, pool: PoolModel): Promise<void> {
    const key = this.#random.pick(KEYS);
    const item = await this.#of(who).read({ poolId, key });
    const expected = pool.isReadableBy(who) ? pool.values.get(key) : undefined;
    assert.equal(item?.value, expected);
    const shown = await this.#of(who).get({ poolId });
    assert.equal(shown !== null, pool.isReadableBy(who));
    // Who else has access is the owner's to know.
    const ids = shown ? [...shown.access.read, ...shown.access.write] : [];
    const others = pool.isOwnedBy(who) ? [] : ids.filter((id) => id !== pool.nameOf(who));
    assert.deepEqual(others, []);
  }

  /** What the pool says of somebody is what that one can do. Others than the owner may ask about themselves. */
  async #ask(who: PrincipalInput, poolId: string, pool: PoolModel): Promise<void> {
    const about = this.#random.pick(PRINCIPALS.filter(({ agentId }) => agentId === undefined));
    const call = this.#of(who).accessibleBy({ poolId, agentId: about.userId });
    const mayAsk = pool.isOwnedBy(who) || pool.nameOf(who) === about.userId;
    if (!(await this.#attempt(pool.refusal(who, mayAsk), call))) return;
    const { accessible, read, write } = await call;
    const asAgent = { userId: pool.owner.userId, agentId: about.userId };
    const [mayRead, mayWrite] = [about, asAgent].reduce(
      ([reads, writes], each) => [reads || pool.isReadableBy(each), writes || pool.isWritableBy(each)],
      [false, false],
    );
    assert.deepEqual([accessible, read, write], [mayRead, mayRead, mayWrite]);
  }

  async #delete(who: PrincipalInput, poolId: string, pool: PoolModel): Promise<void> {
    const refusal = pool.refusal(who, pool.isOwnedBy(who));
    if (refusal === 'FORBIDDEN') return void (await failure(refusal, this.#of(who).delete({ poolId })));
    assert.deepEqual(await this.#of(who).delete({ poolId }), { success: refusal === undefined });
    if (refusal === undefined) this.#pools.delete(poolId);
  }
}

export function sharingContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);

  runner.describe('sharing', () => {
    test('of pools among random agents is what the access lists say, at every moment', async (subject) => {
      const crowd = new Crowd(subject, 6);
      for (let n = 1; n <= STEPS; n += 1) {
        await crowd.step();
        if (n % 50 === 0) await crowd.assertLists();
      }
      const elsewhere = subject.as({ userId: 'alice', tenantId: '00000000-0000-0000-0000-00000000000b' });
      assert.equal((await elsewhere.pools.list({})).count, 0);
    });

    test('of a pool stops when a grant is revoked, and public reading never lets write', async (subject) => {
      const [alice, bob, agent] = [
        subject.as({ userId: 'alice' }).pools,
        subject.as({ userId: 'bob' }).pools,
        subject.as({ userId: 'alice', agentId: 'x' }).pools,
      ];
      const at = { poolId: 'p', key: 'k' };
      await alice.create({ poolId: 'p', access: {} });
      await alice.write({ ...at, value: 1 });
      for (const [other, agentId] of [
        [bob, 'bob'],
        [agent, 'x'],
      ] as const) {
        assert.equal(await other.read(at), null);
        await failure('NOT_FOUND', other.write({ ...at, value: 2 }));
        await alice.grant({ poolId: 'p', agentId, level: 'write' });
        await other.write({ ...at, value: agentId });
        await failure('FORBIDDEN', other.grant({ poolId: 'p', agentId: 'carol', level: 'read' }));
        await failure('FORBIDDEN', other.update({ poolId: 'p', name: 'Mine' }));
        await alice.grant({ poolId: 'p', agentId, level: 'read' });
        await failure('FORBIDDEN', other.write({ ...at, value: 2 }));
        assert.equal((await other.read(at))?.value, agentId);
        await alice.revoke({ poolId: 'p', agentId });
        assert.equal(await other.read(at), null);
        await failure('NOT_FOUND', other.write({ ...at, value: 2 }));
        await failure('NOT_FOUND', other.statistics({ poolId: 'p' }));
        // The id is taken, also by a pool that cannot be seen.
        await failure('VERSION_CONFLICT', other.create({ poolId: 'p' }));
      }
      await alice.update({ poolId: 'p', access: { publicRead: true } });
      for (const other of [bob, agent]) {
        assert.equal((await other.read(at))?.value, 'x');
        const calls = [
          other.write({ ...at, value: 2 }),
          other.merge({ ...at, fields: {} }),
          other.append({ ...at, items: [] }),
          other.increment(at),
          other.remove(at),
          other.delete({ poolId: 'p' }),
        ];
        await Promise.all(calls.map((call) => failure('FORBIDDEN', call)));
      }
      assert.equal((await alice.read(at))?.value, 'x');
    });
  });
}
