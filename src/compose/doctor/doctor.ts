/** `lamina doctor` without its words: every check in one table, run on what is configured or on a service. */

import { LaminaError } from '../../domain/error.ts';
import { loadConfiguration } from '../configuration.ts';
import type { Environment, Flags } from '../configuration-sources.ts';
import type { Check } from './check.ts';
import { CONFIGURATION_CHECKS, refusedConfiguration } from './configuration-checks.ts';
import { DATABASE_CHECKS } from './database-checks.ts';
import { FOLDER_CHECKS } from './folder-checks.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { MODEL_CHECKS } from './model-checks.ts';
import { POSTGRES_CHECKS } from './postgres-checks.ts';
import { REMOTE_CHECKS, type RemoteWorld } from './remote-checks.ts';
import { runChecks, type CheckedReport, type RunOptions } from './run-checks.ts';
import { SERVICE_CHECKS } from './service-checks.ts';
import { worldOf, type World } from './world.ts';

/** In the order in which they are run. A check is added by adding it to one of these. */
const LOCAL_CHECKS: readonly Check<World>[] = [
  ...CONFIGURATION_CHECKS,
  ...FOLDER_CHECKS,
  ...DATABASE_CHECKS,
  ...POSTGRES_CHECKS,
  ...MODEL_CHECKS,
  ...SERVICE_CHECKS,
];

/** What each is called and looks at, for the documentation. */
export const CHECK_LIST: readonly Pick<Check<never>, 'name' | 'group' | 'looksAt'>[] = [
  ...MACHINE_CHECKS,
  ...LOCAL_CHECKS,
  ...REMOTE_CHECKS,
];

const LIMIT_MS = 30_000;
const DEEP_LIMIT_MS = 15 * 60_000;

export interface DoctorOptions {
  readonly environment: Environment;
  readonly flags: Flags;
  /** Where neither of them says. */
  readonly defaults: Flags;
  readonly isDeep: boolean;
  readonly signal: AbortSignal;
}

/** Changes nothing. A configuration that is refused is a finding, and then there is nothing more to look at but the machine. */
export async function checkHere(options: DoctorOptions): Promise<CheckedReport[]> {
  const { environment, flags, defaults, isDeep, signal } = options;
  const run: RunOptions = { signal, limitMs: isDeep ? DEEP_LIMIT_MS : LIMIT_MS };
  const machine = await runChecks(MACHINE_CHECKS, undefined, run);
  try {
    const world = worldOf({
      configuration: await loadConfiguration(environment, flags, process.cwd(), defaults),
      isNamed: flags['databaseUrl'] !== undefined,
      isDeep,
      signal,
    });
    try {
      return [...machine, ...(await runChecks(LOCAL_CHECKS, world, run))];
    } finally {
      await world.close();
    }
  } catch (error) {
    if (!(error instanceof LaminaError) || error.code !== 'CONFIGURATION_ERROR') throw error;
    const refused = { name: 'configuration', group: 'Configuration', findings: refusedConfiguration(error) } as const;
    return [...machine, refused];
  }
}

/** From outside. */
export async function checkThere(
  world: RemoteWorld,
  { signal }: Pick<DoctorOptions, 'signal'>,
): Promise<CheckedReport[]> {
  return runChecks(REMOTE_CHECKS, world, { signal, limitMs: LIMIT_MS });
}
