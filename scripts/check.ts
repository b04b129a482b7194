/** Everything that must hold besides the tests: `npm run check`, or `npm run check -- lint format` for some of it. */

import { runCommand, type Outcome } from './run-command.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The tool says how many files it saw. One that saw none would always be content. */
  readonly countsFiles?: boolean;
}

const STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit', '-p', '.'] },
  { name: 'inspector', command: ['tsc', '--noEmit', '-p', 'inspector'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'], countsFiles: true },
  { name: 'format', command: ['oxfmt', '--check', '.'], countsFiles: true },
  { name: 'unused', command: ['knip'] },
  { name: 'dependencies', command: ['node', 'scripts/audit-dependencies.ts'] },
  { name: 'docs', command: ['node', 'scripts/generate-docs.ts', '--check'] },
  { name: 'architecture', command: ['vitest', 'run', 'test/architecture.test.ts'] },
  { name: 'build', command: ['node', 'scripts/build.ts'] },
  { name: 'package', command: ['node', 'scripts/check-package.ts'] },
];

const FEWEST_FILES = 20;

async function run({ command: [command, ...args], countsFiles }: Step): Promise<Outcome> {
  const outcome = await runCommand(command, args);
  const seen = Number(/on (\d+) files/.exec(outcome.output)?.[1] ?? 0);
  if (!outcome.ok || !countsFiles || seen >= FEWEST_FILES) return outcome;
  return { ok: false, output: `${outcome.output}\n${command} looked at ${seen} files only.` };
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Checks are: ${STEPS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

const failed: string[] = [];
for (const step of STEPS) {
  if (wanted.length > 0 && !wanted.includes(step.name)) continue;
  const started = performance.now();
  const { ok, output } = await run(step);
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name.padEnd(14)}${seconds} s`);
  if (ok) continue;
  failed.push(step.name);
  console.log(`\n${output}\n`);
}
console.log(failed.length === 0 ? 'All checks passed.' : `Failed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
