/** Contract: records of random principals. Plans and sessions are their user's, contexts their tenant's. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { assertSameMembers, failure } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { principals } from './isolation-model.ts';
import { plansContract } from './contract-plans.ts';
import { SeededRandom } from './seeded-random.ts';
import { sessionsContract } from './contract-sessions.ts';
import { tasksContract } from './contract-tasks.ts';

const KEYS = ['k1', 'k10', 'K1', "k'1", '%'];
const GOAL = { goalEvent: 'g' };
const DEEDS = 150;

/** Who made each record: by tenant and key. */
type Ledger = Map<string, PrincipalInput>;
const place = ({ tenantId }: PrincipalInput, key: string): string => JSON.stringify([tenantId, key]);

/** Every key may be taken once in a tenant, whoever asks. */
async function createAtRandom(
  subject: MemorySubject,
  random: SeededRandom,
): Promise<[plans: Ledger, sessions: Ledger]> {
  const [plans, sessions]: [Ledger, Ledger] = [new Map(), new Map()];
  for (let count = 0; count < DEEDS; count += 1) {
    const principal = random.pick(principals());
    const key = random.pick(KEYS);
    const memory = subject.as(principal);
    const isPlan = random.below(2) === 0;
    const ledger = isPlan ? plans : sessions;
    const creating = isPlan
      ? memory.plans.create({ planId: key, ...GOAL })
      : memory.sessions.create({ sessionId: key });
    if (ledger.has(place(principal, key))) {
      await failure('VERSION_CONFLICT', creating);
    } else {
      await creating;
      ledger.set(place(principal, key), principal);
    }
  }
  return [plans, sessions];
}

export function recordsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  tasksContract(runner, open);
  plansContract(runner, open);
  sessionsContract(runner, open);

  runner.describe('records of random principals', () => {
    test('plans and sessions are there for their user only', async (subject) => {
      const [plans, sessions] = await createAtRandom(subject, new SeededRandom(21));
      for (const principal of principals()) {
        const memory = subject.as(principal);
        const isOwn = (ledger: Ledger, key: string): boolean =>
          ledger.get(place(principal, key))?.userId === principal.userId;
        assertSameMembers(
          (await memory.plans.list({})).plans.map(({ planId }) => planId),
          KEYS.filter((key) => isOwn(plans, key)),
        );
        assertSameMembers(
          (await memory.sessions.list({})).sessions.map(({ sessionId }) => sessionId),
          KEYS.filter((key) => isOwn(sessions, key)),
        );
        for (const key of KEYS) {
          assert.equal((await memory.plans.get({ planId: key })) !== null, isOwn(plans, key));
          assert.equal((await memory.sessions.get({ sessionId: key })) !== null, isOwn(sessions, key));
          if (!isOwn(plans, key)) {
            await failure('NOT_FOUND', memory.plans.update({ planId: key, status: 'failed' }));
            assert.deepEqual(await memory.plans.delete({ planId: key }), { success: false });
          }
          if (!isOwn(sessions, key)) {
            await failure('NOT_FOUND', memory.sessions.update({ sessionId: key, ended: true }));
            assert.deepEqual(await memory.sessions.delete({ sessionId: key }), { success: false });
          }
        }
      }
      for (const [where, principal] of plans) {
        const [, planId] = JSON.parse(where) as [string, string];
        const plan = await subject.as(principal).plans.get({ planId });
        assert.deepEqual([plan?.status, plan?.userId], ['running', principal.userId]);
      }
    });

    test('contexts are there for everyone in their tenant, and for nobody else', async (subject) => {
      const random = new SeededRandom(22);
      const known = new Map<string, { readonly tenantId: string | undefined; readonly key: string; n: number }>();
      for (let n = 0; n < DEEDS; n += 1) {
        const principal = random.pick(principals());
        const key = random.pick(KEYS);
        const memory = subject.as(principal);
        const where = place(principal, key);
        const entry = known.get(where);
        if (random.below(2) === 0) {
          await memory.tasks.save({ taskId: key, eventType: 'e', subTasks: [`sub ${key}`], state: { n } });
          await memory.planContexts.save({ planId: key, ...GOAL, correlationIds: [`cor ${key}`], state: { n } });
          known.set(where, { tenantId: principal.tenantId, key, n });
        } else if (entry === undefined) {
          await failure('NOT_FOUND', memory.tasks.update({ taskId: key, state: { n } }));
          await failure('NOT_FOUND', memory.planContexts.update({ planId: key, state: { n } }));
        } else {
          await memory.tasks.update({ taskId: key, state: { n } });
          await memory.planContexts.update({ planId: key, state: { n } });
          entry.n = n;
        }
      }
      for (const principal of principals()) {
        const { tasks, planContexts } = subject.as(principal);
        for (const key of KEYS) {
          const expected = known.get(place(principal, key))?.n;
          const found = [
            await tasks.get({ taskId: key }),
            await tasks.bySubtask({ subtaskId: `sub ${key}` }),
            await planContexts.get({ planId: key }),
            await planContexts.byCorrelation({ correlationId: `cor ${key}` }),
          ];
          assert.deepEqual(
            found.map((each) => each?.state['n']),
            found.map(() => expected),
          );
        }
      }
    });

    test('looking across tenants is like looking for what never was', async (subject) => {
      const mine = subject.as({ userId: 'alice' });
      const theirs = subject.as({ userId: 'alice', tenantId: '00000000-0000-0000-0000-0000000000ff' });
      await mine.tasks.save({ taskId: 't', eventType: 'e', subTasks: ['sub'] });
      for (const round of [1, 2]) {
        assert.equal(await theirs.tasks.bySubtask({ subtaskId: 'sub' }), null);
        assert.equal(await theirs.tasks.get({ taskId: 't' }), null);
        const [foreign, absent] = [
          await failure('NOT_FOUND', theirs.tasks.update({ taskId: 't', state: {} })),
          await failure('NOT_FOUND', theirs.tasks.update({ taskId: 'never', state: {} })),
        ];
        assert.deepEqual({ ...foreign.toJSON(), requestId: '' }, { ...absent.toJSON(), requestId: '' });
        assert.deepEqual(await theirs.tasks.delete({ taskId: 't' }), { success: false });
        // The second time that tenant has something of its own.
        await theirs.tasks.save({ taskId: `other ${round}`, eventType: 'e' });
      }
      assert.ok(await mine.tasks.get({ taskId: 't' }));
    });
  });
}
