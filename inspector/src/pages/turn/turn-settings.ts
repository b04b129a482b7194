/** The settings of a turn as they stand in the address. */

import { SENSITIVITIES, TRUSTS } from '../../../../src/domain/kind.ts';
import { LAYERS } from '../../../../src/domain/scope.ts';
import {
  DEFAULT_TOKEN_BUDGET,
  DEFAULT_TURN_LIMIT,
  DEFAULT_TURN_THRESHOLD,
  TURN_KINDS,
} from '../../../../src/domain/turn.ts';
import type { OperationInput } from '../../../../src/operations/table.ts';
import { givenScope } from '../../api/scope.ts';
import { queryListOf, queryOf, setQuery } from '../../app/location.ts';

/** As the address has them when they are not told: such are left out of it. */
const DEFAULTS: Readonly<Partial<Record<string, string>>> = {
  budget: String(DEFAULT_TOKEN_BUDGET),
  limit: String(DEFAULT_TURN_LIMIT),
  threshold: String(DEFAULT_TURN_THRESHOLD),
  recent: '0',
  procedures: '1',
  facts: '1',
  kinds: 'semantic,episodic',
};

const TURN_SETTINGS = [
  'budget',
  'limit',
  'threshold',
  'recent',
  'procedures',
  'facts',
  'kinds',
  'layers',
  'sensitivity',
  'trust',
  'plan',
  'keys',
  'seen',
] as const;
export type TurnSetting = (typeof TURN_SETTINGS)[number];

/** As given, or its default. */
export function turnSetting(name: TurnSetting): string {
  return queryOf(name) || (DEFAULTS[name] ?? '');
}

export function setTurnSetting(name: TurnSetting, value: string): void {
  setQuery({ [name]: value === DEFAULTS[name] ? undefined : value }, { replace: true });
}

/** Those that are not as the service has them. */
export function changedTurnSettings(): TurnSetting[] {
  return TURN_SETTINGS.filter((name) => queryOf(name) !== '');
}

/** What to ask. What the address says wrongly is left out. */
export function turnInputOf(message: string): OperationInput<'turnContext'> {
  const { agent, session, project, team, org } = givenScope();
  const identifiers = {
    ...(project !== undefined && { projectId: project }),
    ...(team !== undefined && { teamId: team }),
    ...(org !== undefined && { orgId: org }),
  };
  return {
    message,
    preview: true,
    ...(agent !== undefined && { agentId: agent }),
    ...(session !== undefined && { sessionId: session }),
    ...(Object.keys(identifiers).length > 0 && { identifiers }),
    ...choicesOf(),
    ...numbersOf(),
  };
}

type Settings = Partial<OperationInput<'turnContext'>>;

function choicesOf(): Settings {
  const layers = LAYERS.filter((layer) => queryListOf('layers').includes(layer));
  const kinds = TURN_KINDS.filter((kind) => queryListOf('kinds').includes(kind));
  const maxSensitivity = SENSITIVITIES.find((one) => one === queryOf('sensitivity'));
  const minTrust = TRUSTS.find((one) => one === queryOf('trust'));
  const [planId, keys] = [queryOf('plan').trim(), queryListOf('keys').map((key) => key.trim())];
  const seen = queryOf('seen')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return {
    ...(layers.length > 0 && { layers }),
    ...(kinds.length > 0 && { kinds }),
    ...(maxSensitivity !== undefined && { maxSensitivity }),
    ...(minTrust !== undefined && { minTrust }),
    ...(planId !== '' && { working: { planId, ...(keys.length > 0 && { keys }) } }),
    ...(seen.length > 0 && { seen }),
    ...(queryOf('procedures') === '0' && { procedures: false }),
    ...(queryOf('facts') === '0' && { facts: false }),
  };
}

function numbersOf(): Settings {
  const [budget, limit, recent] = [whole('budget', 1, 1_000_000), whole('limit', 1, 100), whole('recent', 0, 100)];
  const threshold = numberOf('threshold');
  return {
    ...(budget !== undefined && { tokenBudget: budget }),
    ...(limit !== undefined && { limit }),
    ...(recent !== undefined && { recentTurns: recent }),
    ...(threshold !== undefined && { threshold: Math.min(1, Math.max(0, threshold)) }),
  };
}

function whole(name: TurnSetting, least: number, most: number): number | undefined {
  const number = numberOf(name);
  return number === undefined ? undefined : Math.min(most, Math.max(least, Math.round(number)));
}

function numberOf(name: TurnSetting): number | undefined {
  const number = Number(queryOf(name));
  return queryOf(name) === '' || !Number.isFinite(number) ? undefined : number;
}
