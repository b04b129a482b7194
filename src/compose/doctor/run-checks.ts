/** Runs checks one after the other. One that fails itself is a finding, and the others are run all the same. */

import { asLaminaError } from '../../domain/error.ts';
import { inTime } from '../../domain/in-time.ts';
import { translated } from '../../engines/sqlite/sqlite-error.ts';
import { shownAddress } from '../database-address.ts';
import { asFileError } from '../file-error.ts';
import { problem, type Check, type Finding, type FindingState, type Group } from './check.ts';

export interface CheckedReport {
  readonly name: string;
  readonly group: Group;
  readonly findings: readonly Finding[];
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Milliseconds for each check. */
  readonly limitMs: number;
}

const SEVERITY: readonly FindingState[] = ['ok', 'warning', 'problem'];

/** Those that have nothing to look at are left out. Throws only what the signal was aborted with. */
export async function runChecks<World>(
  checks: readonly Check<World>[],
  world: World,
  { signal, limitMs }: RunOptions,
): Promise<CheckedReport[]> {
  const reports: CheckedReport[] = [];
  for (const check of checks) {
    signal.throwIfAborted();
    const findings = await inTime(findingsOf(check, world), limitMs).catch((error: unknown) => [failed(check, error)]);
    if (findings.length > 0) reports.push({ name: check.name, group: check.group, findings });
  }
  signal.throwIfAborted();
  return reports;
}

async function findingsOf<World>(check: Check<World>, world: World): Promise<readonly Finding[]> {
  return (await (check.isFor?.(world) ?? true)) ? check.run(world) : [];
}

function failed({ looksAt }: Pick<Check<never>, 'looksAt'>, thrown: unknown): Finding {
  const told = translated(asFileError(thrown));
  const { advice } = asLaminaError(told);
  return problem(`This could not be looked at: ${lowerFirst(looksAt)}. ${reasonOf(told)}`, advice);
}

/** What was thrown, in words for people: without passwords. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  const why = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return shownAddress(`${thrown.message || thrown.name}${why}`);
}

function lowerFirst(text: string): string {
  // Not of an abbreviation.
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** The worst of all. */
export function stateOf(reports: readonly Pick<CheckedReport, 'findings'>[]): FindingState {
  const found = reports.flatMap(({ findings }) => findings.map(({ state }) => SEVERITY.indexOf(state)));
  return SEVERITY[Math.max(0, ...found)] ?? 'ok';
}
