/**
 * Changing the embedding model without downtime: begin, fill, cut over, perhaps roll back, finish. Every step can be
 * interrupted and repeated; the database records what is in use, and all processes follow it.
 */

import type { AuditAction } from '../../domain/audit.ts';
import { LaminaError } from '../../domain/error.ts';
import { pause } from '../../domain/pause.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { SpacesInUse } from '../../ports/space-store.ts';
import { FRESH_MS } from './changing-embedder.ts';
import { dropSpace } from './drop-space.ts';
import { countMissing, fillSpace, type FillProgress, type SpaceNeeds } from './fill-space.ts';
import { isSameSpace, modelName, usedSpaceOf } from './same-space.ts';

export interface ModelChangeNeeds extends SpaceNeeds {
  readonly clock: Clock;
  /** Notes a step in the audit log, before it is taken. */
  readonly note: (action: AuditAction, model: string) => Promise<void>;
}

export interface StepOptions {
  readonly signal: AbortSignal;
  readonly progress?: ((progress: FillProgress) => void) | undefined;
}

export interface ModelChangeStatus {
  readonly state: SpacesInUse | undefined;
  /** Entries without a vector in the other space; 0 where there is none. */
  readonly missing: number;
}

/** Until every process has noticed the last change, and what was asked before it has been answered. */
const LEAVING_MS = 2 * FRESH_MS;

export async function modelChangeStatus({ spaces, archive }: ModelChangeNeeds): Promise<ModelChangeStatus> {
  const state = await spaces.read();
  const isKept = state?.other !== undefined && state.phase !== 'dropping';
  return { state, missing: isKept ? await countMissing({ spaces, archive }, state.other.space) : 0 };
}

/**
 * Has all writes go to the space of `target` as well, from a moment on. Where that was begun already it stays as it is; where
 * the target is in use already, nothing is changed. `configured` is the model in use as long as the database names none.
 * Throws `VERSION_CONFLICT` where another change is under way.
 */
export async function beginModelChange(
  { spaces, clock, note }: ModelChangeNeeds,
  configured: Embedder,
  target: Embedder,
): Promise<SpacesInUse | undefined> {
  const wanted = await usedSpaceOf(target);
  // Asked for before it is written down: a model that cannot be used should not be begun with.
  await target.calibration();
  const state = await spaces.read();
  const active = state?.active ?? (await usedSpaceOf(configured));
  if (state?.other && !isSameSpace(state.other.space, wanted.space)) throw underway(state);
  if (state?.phase === 'cut_over' || state?.phase === 'dropping') throw underway(state);
  if (isSameSpace(active.space, wanted.space) || (state?.other && !state.isSwitching)) return state;
  await note('reindex.start', wanted.space.model);
  await spaces.open(wanted.space);
  const begun = { phase: 'filling', active, other: wanted, isSwitching: false } as const;
  return changed(spaces, state, { ...begun, startedAt: state?.other ? state.startedAt : clock.now() }, clock);
}

/** Fills the space of `target`, whether it is to be the active one or is. How many entries were given a vector. */
export async function fillForModel(needs: ModelChangeNeeds, target: Embedder, options: StepOptions): Promise<number> {
  return fillSpace({ needs, embedder: target, space: await target.space(), ...options });
}

/** Searches use the new model from now on. Throws `VERSION_CONFLICT` where there is none, or where vectors are missing. */
export async function cutOver(needs: ModelChangeNeeds, target: Embedder, options: StepOptions): Promise<SpacesInUse> {
  const { state, missing } = await modelChangeStatus(needs);
  if (state?.phase !== 'filling')
    throw conflict('There is no other model to cut over to. Run: lamina reindex --model …');
  if (missing > 0) {
    const told = missing === 1 ? '1 memory has' : `${missing} memories have`;
    throw conflict(`${told} no vector of the new model yet. Run: lamina reindex --model …`, { missing });
  }
  await needs.note('reindex.cutOver', state.other?.space.model ?? '');
  return changePlaces(needs, state, target, 'cut_over', options);
}

/** Searches use the former model again. The new one is kept, so that it can be cut over to once more. */
export async function rollBack(needs: ModelChangeNeeds, former: Embedder, options: StepOptions): Promise<SpacesInUse> {
  const state = await needs.spaces.read();
  if (state?.phase !== 'cut_over') throw conflict('There is nothing to roll back: the model was not cut over.');
  await needs.note('reindex.rollBack', state.other?.space.model ?? '');
  return changePlaces(needs, state, former, 'filling', options);
}

/**
 * The one that is not in use is given up, and its vectors are removed: after a cut-over the former model's, before it the
 * new one's. How many there were. First it waits until no process can be searching there any more.
 */
export async function leaveModel(
  needs: ModelChangeNeeds,
  expected: 'filling' | 'cut_over',
  { signal }: StepOptions,
): Promise<number> {
  const { spaces, clock } = needs;
  const state = await spaces.read();
  const isFit = state?.phase === expected || state?.phase === 'dropping';
  if (!isFit || state.other === undefined) {
    const wanted = expected === 'cut_over' ? 'The model was not cut over' : 'No model is being filled';
    throw conflict(`${wanted}, so that there is nothing to remove. See: lamina reindex status`);
  }
  const { other } = state;
  await needs.note(expected === 'cut_over' ? 'reindex.finish' : 'reindex.cancel', other.space.model);
  let leaving = state;
  if (state.phase !== 'dropping') {
    // Whoever has not noticed that the model was cut over still searches there, and has to find what is written meanwhile.
    await pause(LEAVING_MS, signal);
    signal.throwIfAborted();
    leaving = await changed(spaces, state, { ...state, phase: 'dropping', isSwitching: false }, clock);
  }
  const dropped = await dropSpace(needs, other.space, signal);
  await changed(spaces, leaving, { ...leaving, phase: 'settled', other: undefined }, clock);
  return dropped;
}

/**
 * First every write must have both vectors, so that no new entry lacks one; then the missing ones are filled in, and only
 * then the spaces are swapped.
 */
async function changePlaces(
  needs: ModelChangeNeeds,
  state: SpacesInUse,
  embedder: Embedder,
  phase: 'filling' | 'cut_over',
  options: StepOptions,
): Promise<SpacesInUse> {
  const { spaces, clock } = needs;
  const { active, other } = state;
  if (other === undefined) throw new TypeError('There is no other space to change places with.');
  const switching = await changed(spaces, state, { ...state, isSwitching: true }, clock);
  try {
    await fillSpace({ needs, embedder, space: other.space, ...options });
  } catch (error) {
    await changed(spaces, switching, { ...state, isSwitching: false }, clock);
    throw error;
  }
  return changed(spaces, switching, { ...state, phase, active: other, other: active, isSwitching: false }, clock);
}

/** Throws `VERSION_CONFLICT` if another process was faster. */
async function changed(
  spaces: SpaceNeeds['spaces'],
  before: SpacesInUse | undefined,
  next: Omit<SpacesInUse, 'revision' | 'changedAt'>,
  clock: Clock,
): Promise<SpacesInUse> {
  const state = { ...next, revision: (before?.revision ?? 0) + 1, changedAt: clock.now() };
  if (await spaces.change(state)) return state;
  throw conflict('Somebody else is changing the embedding model at this moment. See: lamina reindex status');
}

function underway({ phase, other }: SpacesInUse): LaminaError {
  const name = other ? modelName(other) : 'another one';
  const how = {
    filling: `The model is being changed to ${name} already. Go on with that one, or give it up: lamina reindex cancel`,
    cut_over: `The change from ${name} is not finished. Run: lamina reindex finish, or: lamina reindex roll-back`,
    dropping: `The vectors of ${name} are being removed. Run: lamina reindex finish`,
    settled: '',
  };
  return conflict(how[phase]);
}

function conflict(message: string, details?: Record<string, unknown>): LaminaError {
  const advice = 'Look at: lamina reindex status';
  return new LaminaError('VERSION_CONFLICT', message, { advice, ...(details && { details }) });
}
