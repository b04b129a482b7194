/** The settings of a search as they stand in the address; the second of two that are compared under names with `b.`. */

import { KINDS, SENSITIVITIES, TRUSTS } from '../../../../src/domain/kind.ts';
import { MODES, RANKS } from '../../../../src/domain/recall.ts';
import { LAYERS } from '../../../../src/domain/scope.ts';
import type { OperationInput } from '../../../../src/operations/table.ts';
import { identifiersOf } from '../../api/scope.ts';
import { queryListOf, queryOf, setQuery } from '../../app/location.ts';

export type Side = '' | 'b.';

export const SETTING_NAMES = [
  'mode',
  'rank',
  'threshold',
  'limit',
  'as_of',
  'sensitivity',
  'trust',
  'layers',
  'kinds',
  'archived',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

export const SERVICE_DEFAULTS = { mode: 'hybrid', rank: 'precedence', threshold: '0.7', limit: '10' } as const;

export function settingOf(side: Side, name: SettingName): string {
  return queryOf(side + name);
}

export function setSetting(side: Side, name: SettingName, value: string): void {
  const isDefault = name in SERVICE_DEFAULTS && SERVICE_DEFAULTS[name as keyof typeof SERVICE_DEFAULTS] === value;
  setQuery({ [side + name]: isDefault ? undefined : value }, { replace: true });
}

/** How many settings are not as the service has them. */
export function changedSettings(side: Side): SettingName[] {
  return SETTING_NAMES.filter((name) => settingOf(side, name) !== '');
}

/** What to ask. What the address says wrongly is left out. */
export function searchInputOf(side: Side, query: string): OperationInput<'search'> {
  const [threshold, limit] = [numberOf(settingOf(side, 'threshold')), numberOf(settingOf(side, 'limit'))];
  const asOf = timeOf(settingOf(side, 'as_of'));
  const layers = chosenOf(LAYERS, queryListOf(`${side}layers`));
  const kinds = chosenOf(KINDS, queryListOf(`${side}kinds`));
  const mode = MODES.find((one) => one === settingOf(side, 'mode'));
  const rank = RANKS.find((one) => one === settingOf(side, 'rank'));
  const maxSensitivity = SENSITIVITIES.find((one) => one === settingOf(side, 'sensitivity'));
  const minTrust = TRUSTS.find((one) => one === settingOf(side, 'trust'));
  const identifiers = identifiersOf();
  return {
    query,
    explain: true,
    ...(mode !== undefined && { mode }),
    ...(rank !== undefined && { rank }),
    ...(threshold !== undefined && { threshold: Math.min(1, Math.max(0, threshold)) }),
    ...(limit !== undefined && { limit: Math.min(100, Math.max(1, Math.round(limit))) }),
    ...(asOf !== undefined && { asOf }),
    ...(maxSensitivity !== undefined && { maxSensitivity }),
    ...(minTrust !== undefined && { minTrust }),
    ...(layers.length > 0 && { layers }),
    ...(kinds.length > 0 && { kinds }),
    ...(settingOf(side, 'archived') === '1' && { includeArchived: true }),
    ...(identifiers !== undefined && { identifiers }),
  };
}

function chosenOf<T extends string>(all: readonly T[], given: readonly string[]): T[] {
  return all.filter((one) => given.includes(one));
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? undefined : number;
}

/** A field of a form gives the viewer's own time; the service wants it with its zone. */
export function timeOf(text: string): string | undefined {
  const at = text === '' ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
