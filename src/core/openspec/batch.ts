/** Many entries at once: in their order, each for itself, and what became of each is told. */

import { mayWrite } from '../../domain/access.ts';
import { asLaminaError, invalidField, type LaminaError } from '../../domain/error.ts';
import { entryId } from '../../domain/entry.ts';
import { assertWithin } from '../../domain/limits.ts';
import type { BatchEntry, BatchKnowledgeInput, BatchKnowledgeOutput } from '../../domain/openspec.ts';
import type { Principal } from '../../domain/principal.ts';
import { canSee, notFound } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { forget, remove } from '../forget/forget.ts';
import { addDrafts } from '../remember/add.ts';
import type { Draft } from '../remember/draft.ts';
import { isOutsideContexts, placementOf } from '../scoping.ts';
import { changeKnowledge, knowledgeDraft } from './write-knowledge.ts';

/** Written in one transaction; if one of them fails, each is tried by itself. */
const CHUNK = 100;

type Action = 'create' | 'update' | 'delete';

interface Step {
  readonly index: number;
  readonly action: Action;
  readonly entry: BatchEntry;
}

type Done = BatchKnowledgeOutput['results']['entries'][number];

interface Failed {
  readonly step: Step;
  readonly error: LaminaError;
}

type Outcome = Done | Failed;

interface Batch {
  readonly dependencies: Dependencies;
  readonly principal: Principal;
  /** Whether the next one is tried after one that failed. */
  readonly goesOn: boolean;
}

/** Throws `LIMIT_EXCEEDED`, and then has done nothing. */
export async function batchKnowledge(
  dependencies: Dependencies,
  principal: Principal,
  input: BatchKnowledgeInput,
): Promise<BatchKnowledgeOutput> {
  const { limits, ids } = dependencies;
  assertWithin('LIMIT_EXCEEDED', 'The batch', input.entries.length, limits.batchSize, 'entries');
  const batch: Batch = { dependencies, principal, goesOn: input.options?.continueOnError ?? false };
  const outcomes: Outcome[] = [];
  for (const steps of runsOf(await stepsOf(batch, input))) {
    outcomes.push(...(await runSteps(batch, steps)));
    if (!batch.goesOn && outcomes.some(isFailed)) break;
  }
  const done = outcomes.filter((each): each is Done => !isFailed(each));
  const failed = outcomes.filter(isFailed);
  return {
    operationId: ids.next(),
    status: failed.length > 0 && (!batch.goesOn || done.length === 0) ? 'failed' : 'completed',
    results: { succeeded: done.length, failed: failed.length, entries: done, errors: failed.map(errorOf) },
  };
}

/** An upsert updates what is there to be seen, or comes twice; everything else it creates. */
async function stepsOf(
  { dependencies, principal }: Batch,
  { operation, entries }: BatchKnowledgeInput,
): Promise<Step[]> {
  const flat = entries.map(({ entry, options: _options, ...own }) => ({ ...own, ...entry, id: entry?.id ?? own.id }));
  if (operation !== 'upsert') return flat.map((entry, index) => ({ index, action: operation, entry }));
  const named = flat.flatMap(({ id }) => (isId(id) ? [id.toLowerCase()] : []));
  const found = await dependencies.entries.find(principal, named);
  const known = new Set(found.filter((entry) => canSee(principal, entry)).map(({ id }) => id));
  return flat.map((entry, index) => {
    const id = entry.id?.toLowerCase();
    const isKnown = id !== undefined && known.has(id);
    if (id !== undefined) known.add(id);
    return { index, action: isKnown ? 'update' : 'create', entry };
  });
}

/** Neighbours that are created, or deleted, go together; what is updated goes one at a time. */
function runsOf(steps: readonly Step[]): Step[][] {
  const runs: Step[][] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    const isFitting = step.action !== 'update' && last?.[0]?.action === step.action && last.length < CHUNK;
    if (isFitting) last.push(step);
    else runs.push([step]);
  }
  return runs;
}

async function runSteps(batch: Batch, steps: readonly Step[]): Promise<Outcome[]> {
  const together = await runTogether(batch, steps);
  if (together !== undefined) return together;
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const outcome = await attempt(batch, step);
    outcomes.push(outcome);
    if (isFailed(outcome) && !batch.goesOn) break;
  }
  return outcomes;
}

/** Undefined where that cannot be, for whatever reason: then each one tells its own. */
async function runTogether(batch: Batch, steps: readonly Step[]): Promise<Done[] | undefined> {
  if (steps.length < 2) return undefined;
  try {
    return await (steps[0]?.action === 'delete' ? deleteTogether(batch, steps) : createTogether(batch, steps));
  } catch {
    return undefined;
  }
}

async function createTogether({ dependencies, principal }: Batch, steps: readonly Step[]): Promise<Done[]> {
  const drafts = steps.map(({ entry }) => draftFor(dependencies, principal, entry));
  const outputs = await addDrafts(dependencies, principal, drafts);
  return steps.map(({ index }, at) => createdOf(index, outputs[at]));
}

async function deleteTogether({ dependencies, principal }: Batch, steps: readonly Step[]): Promise<Done[] | undefined> {
  const ids = steps.map(({ entry }) => idOf(entry));
  const found = await dependencies.entries.find(principal, ids);
  const own = found.filter(
    (entry) => isOutsideContexts(entry) && canSee(principal, entry) && mayWrite(principal, placementOf(entry)),
  );
  if (new Set(own.map(({ id }) => id)).size < ids.length) return undefined;
  await forget(dependencies, principal, { ids });
  return steps.map(({ index }, at) => ({ index, id: ids[at] ?? '', status: 'deleted' }));
}

async function attempt({ dependencies, principal }: Batch, step: Step): Promise<Outcome> {
  const { index, action, entry } = step;
  try {
    if (action === 'create') {
      const [output] = await addDrafts(dependencies, principal, [draftFor(dependencies, principal, entry)]);
      return createdOf(index, output);
    }
    const id = idOf(entry);
    if (action === 'update') {
      const { id: _id, ...change } = entry;
      await changeKnowledge(dependencies, principal, id, change);
      return { index, id, status: 'updated' };
    }
    const isDeleted = await remove(dependencies, principal, { id }, isOutsideContexts);
    if (!isDeleted) throw notFound(id);
    return { index, id, status: 'deleted' };
  } catch (thrown) {
    return { step, error: asLaminaError(thrown) };
  }
}

function draftFor(dependencies: Dependencies, principal: Principal, entry: BatchEntry): Draft {
  const { id, content } = entry;
  if (content === undefined) throw invalidField('content', 'missing');
  return knowledgeDraft(dependencies, principal, { ...entry, content, id: id === undefined ? undefined : idOf(entry) });
}

function idOf({ id }: BatchEntry): string {
  if (id === undefined) throw invalidField('id', 'missing');
  const { success, data } = entryId.safeParse(id);
  if (!success) throw invalidField('id', 'expected a UUID');
  return data;
}

function isId(id: string | undefined): id is string {
  return entryId.safeParse(id).success;
}

function createdOf(index: number, output: Awaited<ReturnType<typeof addDrafts>>[number] | undefined): Done {
  if (output === undefined) throw new Error('A write answered with fewer entries than it was given.');
  return { index, id: output.memory.id, status: output.status === 'created' ? 'created' : 'updated' };
}

function isFailed(outcome: Outcome): outcome is Failed {
  return 'error' in outcome;
}

function errorOf({ step, error }: Failed): BatchKnowledgeOutput['results']['errors'][number] {
  const { index, entry } = step;
  return { index, ...(entry.id !== undefined && { id: entry.id }), code: error.code, message: error.message };
}
