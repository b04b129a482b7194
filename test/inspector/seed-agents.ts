/** What agents are at in the inspector's world: plans with tasks, sessions, a pool and a context with snapshots. */

import type { Memory } from '../../src/operations/memory.ts';
import { TaskContext } from '../../src/workflow/task-context.ts';

/** Time that can be moved on. */
interface PassingTime {
  passDays(days: number): void;
}

const HOUR = 1 / 24;

export async function seedAgents(memory: Memory, clock: PassingTime): Promise<void> {
  await talk(memory, clock, ['sess-onboarding', 'Getting to know Ada', 'scribe']);
  await talk(memory, clock, ['sess-release', 'Release planning', 'planner'], () => seedRelease(memory, clock));
  await talk(memory, clock, ['sess-travel', 'The trip to Lisbon', 'scribe']);
  clock.passDays(3);
  await memory.sessions.create({ sessionId: 'sess-research', name: 'What the market drinks', agentId: 'researcher' });
  clock.passDays(5 * HOUR);
  await seedResearch(memory, clock);
  await seedPool(memory);
  await seedContext(memory, clock);
  await memory.sessions.update({ sessionId: 'sess-research' });
}

type Talk = readonly [sessionId: string, name: string, agentId: string];

/** A session that has ended, and what was done in it. */
async function talk(
  { sessions }: Memory,
  clock: PassingTime,
  [sessionId, name, agentId]: Talk,
  work: () => Promise<void> = async () => undefined,
): Promise<void> {
  await sessions.create({ sessionId, name, agentId, metadata: { source: 'web' } });
  clock.passDays(9 * HOUR);
  await work();
  await sessions.update({ sessionId, ended: true });
  clock.passDays(20 * HOUR);
}

async function seedRelease({ plans }: Memory, clock: PassingTime): Promise<void> {
  const shipping = { planId: 'ship-october', sessionId: 'sess-release', goalEvent: 'release.goal' };
  await plans.create({ ...shipping, goalData: { version: '4.2' } });
  clock.passDays(12 * HOUR);
  await plans.update({ planId: 'ship-october', status: 'completed', state: { released: '4.2.0' } });
  clock.passDays(8 * HOUR);
}

const MACHINE = {
  states: {
    start: { transitions: [{ on_event: 'goal.accepted', to_state: 'searching' }] },
    searching: {
      transitions: [
        { on_event: 'search.done', to_state: 'writing' },
        { on_event: 'search.failed', to_state: 'failed' },
      ],
    },
    writing: {
      transitions: [
        { on_event: 'report.done', to_state: 'done' },
        { on_event: 'sources.thin', to_state: 'searching' },
      ],
    },
    done: { is_terminal: true },
    failed: { is_terminal: true },
  },
};

async function seedResearch(memory: Memory, clock: PassingTime): Promise<void> {
  const { plans, planContexts } = memory;
  const research = { planId: 'tea-market', sessionId: 'sess-research', goalEvent: 'research.goal' };
  const goalData = { topic: 'Which teas sell in Lisbon?', depth: 'thorough' };
  await plans.create({ ...research, goalData, responseEvent: 'research.completed', state: { budget: 12 } });
  await plans.create({
    planId: 'tea-prices',
    parentPlanId: 'tea-market',
    sessionId: 'sess-research',
    goalEvent: 'prices.goal',
    status: 'pending',
  });
  await planContexts.save({ ...research, state: MACHINE, currentState: 'searching', correlationIds: ['task-search'] });
  clock.passDays(9 * HOUR);
  await seedTasks(memory);
  const planId = 'tea-market';
  await memory.working.set({ planId, key: 'step', value: 3 });
  await memory.working.set({ planId, key: 'sources', value: ['trade register', 'café menus'] });
  await memory.working.set({ planId, key: 'finding', value: { best: 'gunpowder green', share: 0.41 } });
}

/** One waits for three parts, of which one is back and one is itself waiting. */
async function seedTasks(memory: Memory): Promise<void> {
  const planId = 'tea-market';
  const search = TaskContext.create(memory, { taskId: 'task-search', planId, eventType: 'search.requested' });
  await search.save();
  await search.delegateAll([
    { eventType: 'web.search', subTaskId: 'task-web' },
    { eventType: 'menu.read', subTaskId: 'task-menus' },
    { eventType: 'register.ask', subTaskId: 'task-register' },
  ]);
  await search.subtaskDone('task-web', { found: 18 });
  const menus = TaskContext.create(memory, { taskId: 'task-menus', planId, eventType: 'menu.read' });
  await menus.save();
  await menus.delegateAll([{ eventType: 'photo.read', subTaskId: 'task-photo' }]);
  await TaskContext.create(memory, { taskId: 'task-outline', planId, eventType: 'outline.requested' }).save();
}

async function seedPool({ pools }: Memory): Promise<void> {
  await pools.create({
    poolId: 'launch-team',
    type: 'team_shared',
    scopeId: 'launch',
    name: 'What the launch team knows',
    access: { read: ['reviewer', 'critic'], write: ['planner'] },
  });
  await pools.write({ poolId: 'launch-team', key: 'venue', value: { city: 'Lisbon', seats: 80 } });
  await pools.write({ poolId: 'launch-team', key: 'budget', value: 12_500 });
  await pools.create({ poolId: 'prices', name: 'Prices of the day', access: { publicRead: true } });
}

async function seedContext({ contexts, contextEntries, contextSnapshots }: Memory, clock: PassingTime): Promise<void> {
  const contextId = 'atlas';
  const put = (key: string, content: string): Promise<unknown> => contextEntries.put({ contextId, key, content });
  await contexts.create({
    contextId,
    type: 'project_context',
    name: 'Atlas',
    description: 'What everyone on Atlas should know.',
    access: { write: ['planner'], publicRead: true },
  });
  await put('database', 'Atlas runs on PostgreSQL 16 with nightly backups.');
  await put('owner', 'Ben looks after Atlas.');
  await put('legacy', 'The old importer still runs on Fridays.');
  await contextSnapshots.create({ contextId, name: 'before the move' });
  clock.passDays(2 * HOUR);
  await put('database', 'Atlas runs on PostgreSQL 17 with hourly backups.');
  await put('region', 'Since the move Atlas lives in Frankfurt.');
  await contextEntries.delete({ contextId, key: 'legacy' });
  await contextSnapshots.create({ contextId, name: 'after the move' });
}
