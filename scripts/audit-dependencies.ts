/** The dependencies: what is known against them, where the registry tells, and what can be seen without it. */

import { readFileSync } from 'node:fs';
import { runCommand } from './run-command.ts';
import { problemsIn, type LockFile } from './dependency-rules.ts';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;
const problems = problemsIn(lock);
const count = Object.keys(lock.packages).length - 1;

/** Vulnerabilities from high on in what users get. Undefined where the registry does not say. */
async function advisories(): Promise<boolean | undefined> {
  // It has to ask, which runCommand keeps npm from otherwise.
  const { ok, output } = await runCommand('npm', [
    'audit',
    '--omit=dev',
    '--audit-level=high',
    '--offline=false',
    '--fetch-retries=0',
    '--fetch-timeout=30000',
  ]);
  if (ok) return true;
  if (!/\d+ (?:\w+ )?(?:severity )?vulnerabilit/.test(output)) return undefined;
  problems.push(output);
  return false;
}

const known = await advisories();
const told =
  known === undefined ? 'not available here: the registry gives none' : known ? 'nothing known' : 'see below';
console.log(`Packages: ${count}. Advisories: ${told}.`);
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
