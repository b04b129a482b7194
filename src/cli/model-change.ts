/** What the commands that change the embedding model share: the database opened for it, and how it stands in words. */

import { shownAddress } from '../compose/database-address.ts';
import type { OpenModelChange } from '../compose/model-change.ts';
import { LOCAL_MODEL } from '../compose/settings.ts';
import type { ModelChangeStatus } from '../core/spaces/model-change.ts';
import type { RecallOverlap } from '../core/spaces/recall-overlap.ts';
import { LaminaError } from '../domain/error.ts';
import { JSON_FLAG, usageError, type Flag, type Given, type Variable } from './command.ts';
import { storedConfiguration } from './open-memory.ts';
import { memorySettingFlags, settingsFrom, variablesAmong } from './setting-flags.ts';

/** Which models are in use. */
export type SpacesInUse = NonNullable<ModelChangeStatus['state']>;

export type UsedSpace = SpacesInUse['active'];

const SETTINGS_TAKEN = ['config', 'databaseUrl', 'databaseOwnerUrl', 'qdrantUrl'] as const;

const URL_FLAG: Flag = {
  name: 'url',
  value: 'URL',
  description: 'Refused: the model is changed in the database, which --database names',
};

export const MODEL_FLAGS: readonly Flag[] = [...memorySettingFlags(SETTINGS_TAKEN), URL_FLAG, JSON_FLAG];

export const MODEL_VARIABLES: readonly Variable[] = variablesAmong(SETTINGS_TAKEN);

/** Runs it on the database, and closes that whatever becomes of it. */
export async function withModelChange<T>(given: Given, work: (change: OpenModelChange) => Promise<T>): Promise<T> {
  if (given.has('url')) {
    throw usageError(
      'The embedding model is changed in the database itself, not through a service: name it by --database.',
      given.command,
    );
  }
  const configuration = await storedConfiguration(given, settingsFrom(given, SETTINGS_TAKEN));
  // What it needs is loaded only now, so that help and refusals come at once.
  const { openModelChange } = await import('../compose/model-change.ts');
  const change = await openModelChange(configuration);
  try {
    return await work(change);
  } finally {
    await change.close();
  }
}

/** Those in use. Throws where the model was never changed. */
export async function stateOf({ needs }: OpenModelChange): Promise<SpacesInUse & { readonly other: UsedSpace }> {
  const state = await needs.spaces.read();
  if (state?.other === undefined) throw notUnderway();
  return { ...state, other: state.other };
}

function notUnderway(): LaminaError {
  return new LaminaError('VERSION_CONFLICT', 'The embedding model is not being changed.', {
    advice: 'Begin with: lamina reindex --model …',
  });
}

/** For machines. */
export function stateJson(state: SpacesInUse | undefined): object {
  if (state === undefined) return { phase: 'unchanged' };
  const { phase, active, other, isSwitching, startedAt, changedAt } = state;
  return {
    phase,
    active: { ...active.settings, ...active.space },
    ...(other && { other: { ...other.settings, ...other.space } }),
    isSwitching,
    startedAt: new Date(startedAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
  };
}

/** By which the filling goes on. With less it would be another model. */
export function fillCommand({ settings }: Pick<UsedSpace, 'settings'>): string {
  const { provider, model = LOCAL_MODEL, baseUrl, dimensions } = settings;
  const flags = { model, embedder: provider, 'base-url': baseUrl && shownAddress(baseUrl), dimensions };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return ['lamina reindex', ...given.map(([name, value]) => `--${name} ${value}`)].join(' ');
}

export function modelText({ space: { model, dimensions } }: Pick<UsedSpace, 'space'>): string {
  return `${model} (${dimensions} dimensions)`;
}

export function overlapText({ queries, overlapAt10 }: RecallOverlap): string {
  if (overlapAt10 === null) return 'There was nothing to compare the two models by.';
  const percent = Math.round(overlapAt10 * 100);
  return `Of the first ten results, ${percent}% are the same under both models (${queries} searches).`;
}
