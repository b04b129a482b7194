/**
 * A research plan of several agents at once: a coordinator makes the plan, a researcher splits its task, three searchers work in
 * parallel, a writer reads what they found, and the next plan begins with what this one taught. The agents are scripted.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
// In a program of yours: from 'lamina'.
import { Lamina, TaskContext, WorkflowState, type SubTask } from '../../src/index.ts';

const POOL = 'findings';
const PROJECT = { projectId: 'energy' };

/** What each searcher would find out there, and how long it would take. */
const SEARCHERS: Readonly<Record<string, { readonly takesMs: number; readonly finds: readonly string[] }>> = {
  'web.search': {
    takesMs: 30,
    finds: ['Prices of heat pumps fell by a tenth in 2026', 'Installers are booked until May'],
  },
  'paper.search': { takesMs: 10, finds: ['Ground source pumps need a third less current than air source pumps'] },
  'news.search': { takesMs: 20, finds: ['The subsidy ends in December'] },
};

const folder = await mkdtemp(join(tmpdir(), 'lamina-research-'));
const lamina = await Lamina.open({ folder });
const coordinator = lamina.as({ userId: 'coordinator' });
const researcher = lamina.as({ userId: 'researcher' });
const searcher = lamina.as({ userId: 'searcher' });
const writer = lamina.as({ userId: 'writer' });

/** The goal is written down; who works on it needs its id and nothing else. */
async function makePlan(topic: string): Promise<string> {
  const { planId } = await coordinator.plans.create({ goalEvent: 'report.requested', goalData: { topic } });
  console.log(`coordinator: a plan for a report on ${topic}`);
  return planId;
}

/** The researcher gives its task away in parts. They are stored before the first one is sent. */
async function splitTask(planId: string): Promise<SubTask[]> {
  // Findings are for those who are named: searchers add to them, the writer reads them.
  await researcher.pools.create({
    poolId: POOL,
    type: 'task_scoped',
    scopeId: planId,
    access: { read: ['writer'], write: ['searcher'] },
  });
  const task = TaskContext.create(researcher, {
    taskId: 'research-1',
    planId,
    eventType: 'research.requested',
    responseEvent: 'research.completed',
    data: { topic: 'heat pumps' },
  });
  await task.save();
  const sent: SubTask[] = [];
  await task.delegateAll(
    Object.keys(SEARCHERS).map((eventType) => ({ eventType, data: task.data })),
    (part) => void sent.push(part),
  );
  console.log(`researcher: ${sent.length} sub-tasks are out`);
  return sent;
}

/** One sub-task: its findings go to the pool, its count to the plan. All of them do so at once, and nothing is lost. */
async function search(planId: string, { subTaskId, eventType }: SubTask): Promise<boolean> {
  const { takesMs, finds } = SEARCHERS[eventType] ?? { takesMs: 0, finds: [] };
  await sleep(takesMs);
  await searcher.pools.append({ poolId: POOL, key: 'lines', items: [...finds] });
  await new WorkflowState(searcher, planId).increment('sources', finds.length);
  console.log(`searcher:   ${eventType} found ${finds.length}`);
  return onResult(subTaskId, finds.length);
}

/** Some process of the researcher's hears of a result. Only the one that takes in the last part answers. */
async function onResult(subTaskId: string, count: number): Promise<boolean> {
  const task = await TaskContext.restoreBySubtask(researcher, subTaskId);
  if (task === null || !(await task.subtaskDone(subTaskId, count))) return false;
  return task.complete(task.results, ({ eventType }) => console.log(`researcher: ${eventType ?? 'done'}`));
}

/** The writer reads the pool. The coordinator, whom nobody let in, does not see that there is one. */
async function writeReport(planId: string): Promise<readonly string[]> {
  const found = await writer.pools.read({ poolId: POOL, key: 'lines' });
  const lines = Array.isArray(found?.value) ? found.value.map(String) : [];
  const sources = await new WorkflowState(writer, planId).get<number>('sources');
  console.log(`writer:     a report from ${sources ?? 0} sources`);
  for (const line of lines.toSorted()) console.log(`            - ${line}`);
  const hidden = await coordinator.pools.read({ poolId: POOL, key: 'lines' });
  console.log(`coordinator: the pool is ${hidden === null ? 'not there for me' : 'open to me'}`);
  return lines;
}

/** Working memory goes with the plan; what was learned stays in the project, with where it came from. */
async function finish(planId: string, lines: readonly string[]): Promise<void> {
  const source = { type: 'agent', reference: planId } as const;
  await writer.addMany(lines.map((content) => ({ content, layer: 'project', identifiers: PROJECT, source })));
  const plan = await coordinator.plans.get({ planId });
  if (plan === null) throw new Error('The plan is gone.');
  await coordinator.plans.update({ planId, status: 'completed', ifVersion: plan.version, cascade: true });
  const left = await new WorkflowState(coordinator, planId).get<number>('sources');
  console.log(`coordinator: the plan is complete, working memory left: ${left ?? 'none'}`);
}

/** Another plan, another agent: it starts with what is known. */
async function beginNextPlan(): Promise<boolean> {
  const newcomer = lamina.as({ userId: 'buyer' });
  const query = 'How did the prices of heat pumps change?';
  const { results } = await newcomer.search({ query, identifiers: PROJECT, limit: 1 });
  console.log(`buyer:      ${query} ${results[0]?.memory.content ?? 'Nobody knows.'}`);
  return results.length === 1;
}

try {
  const planId = await makePlan('heat pumps');
  const parts = await splitTask(planId);
  const answers = await Promise.all(parts.map((part) => search(planId, part)));
  const lines = await writeReport(planId);
  await finish(planId, lines);
  const isKnown = await beginNextPlan();
  console.log(`Answers: ${answers.filter(Boolean).length}. Findings: ${lines.length}.`);
  if (answers.filter(Boolean).length !== 1 || lines.length !== 4 || !isKnown) process.exitCode = 1;
} finally {
  await lamina.close();
  await rm(folder, { recursive: true });
}
