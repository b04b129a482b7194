/** Runs `lamina doctor` and reads what it found. */

import { expect } from 'vitest';
import { callCli } from './cli-caller.ts';

export interface FoundFinding {
  readonly state: 'ok' | 'warning' | 'problem';
  readonly message: string;
  readonly fix?: string;
  readonly repairable?: boolean;
}

export interface Examined {
  readonly code: number;
  readonly text: string;
  /** By the name of the check. */
  readonly found: Readonly<Record<string, readonly FoundFinding[]>>;
  /** Names of checks that found something amiss. */
  readonly amiss: readonly string[];
}

/** Everything amiss says how it is put right. */
export async function examine(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  const { code, stdout, stderr } = await callCli(['doctor', '--json', ...args], { environment });
  expect(stderr).toBe('');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; findings: FoundFinding[] }[] };
  const findings = checks.flatMap(({ findings: own }) => own);
  for (const { state, fix } of findings) expect(state === 'ok' || (fix ?? '') !== '').toBe(true);
  expect(code).toBe(findings.some(({ state }) => state === 'problem') ? 1 : 0);
  return {
    code,
    text: stdout,
    found: Object.fromEntries(checks.map(({ name, findings: own }) => [name, own])),
    amiss: checks.filter(({ findings: own }) => own.some(({ state }) => state !== 'ok')).map(({ name }) => name),
  };
}
