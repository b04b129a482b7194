/** What the benchmarks' command lines have in common. */

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { LaminaError } from '../src/domain/error.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

/** What was given, or its default. Throws `CONFIGURATION_ERROR` with the usage for what there is not. */
export function flagsOf(
  args: readonly string[],
  flags: Flags,
  usage: string,
): Readonly<Record<string, string | boolean | undefined>> {
  try {
    const { values } = parseArgs<{ args: string[]; options: Record<string, { type: 'string' | 'boolean' }> }>({
      args: [...args],
      options: flags,
    });
    return values;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new LaminaError('CONFIGURATION_ERROR', `${problem}\n\n${usage}`, { cause: error });
  }
}

/** Throws `CONFIGURATION_ERROR` for what is none. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && text.trim() !== '') return value;
  throw new LaminaError('CONFIGURATION_ERROR', `--${name} takes whole numbers from ${least} on, not "${text}".`);
}

/** The address of a database, which has no default. */
export function databaseUrl(given: string | boolean | undefined, wantsHelp: boolean, usage: string): string {
  const url = String(given);
  if (url !== '' || wantsHelp) return url;
  throw new LaminaError('CONFIGURATION_ERROR', `--url is missing.\n\n${usage}`);
}

/** Runs a benchmark from its command line. What was asked for wrongly is told without a stack, and ends with 2. */
export async function runBenchmark<Options extends { readonly wantsHelp: boolean }>(
  usage: string,
  parse: (args: readonly string[]) => Options,
  bench: (options: Options) => Promise<void>,
): Promise<void> {
  try {
    const options = parse(process.argv.slice(2));
    if (options.wantsHelp) console.log(usage);
    else await bench(options);
  } catch (error) {
    const isUsage = error instanceof LaminaError && error.code === 'CONFIGURATION_ERROR';
    console.error(isUsage ? error.message : error);
    // Connections that a benchmark could not close any more would keep it.
    process.exit(isUsage ? 2 : 1);
  }
}
