/** The command line: finds the command, runs it, and turns what it throws into a message and an exit code. */

import { asFileError } from '../compose/file-error.ts';
import { didYouMean } from '../compose/nearest-name.ts';
import { packageVersion } from '../compose/package-version.ts';
import { asLaminaError } from '../domain/error.ts';
import { usageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { errorJson, errorText } from './error-text.ts';
import { EXIT_CODES, exitCodeOf } from './exit-code.ts';
import { inFlags } from './flag-errors.ts';
import { helpText, overviewText } from './help.ts';
import { findCommand, readGiven, type Surroundings } from './read-given.ts';
import { assertWritten, Stopped, stopSignal } from './terminal/stop-signal.ts';
import { processTerminal } from './terminal/terminal.ts';

/** Runs one command line, without the name of the program. Resolves with the exit code and never throws. */
export async function main(
  args: readonly string[],
  surroundings: Surroundings = { terminal: processTerminal(), signal: stopSignal() },
): Promise<number> {
  const { stderr } = surroundings.terminal;
  try {
    const code = await run(args, surroundings);
    await assertWritten(surroundings.signal);
    return code;
  } catch (thrown) {
    if (thrown instanceof Stopped) {
      if (thrown.message !== '') stderr.write(`${thrown.message}\n`);
      return thrown.code;
    }
    stderr.write(`${asksFor('--json', args) ? errorJson(thrown) : errorText(thrown)}\n`);
    return exitCodeOf(asLaminaError(thrown));
  }
}

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const print = (text: string): number => {
    surroundings.terminal.stdout.write(text);
    return EXIT_CODES.ok.code;
  };
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') return print(overviewText(COMMANDS));
  if (name === '--version' || name === '-v') return print(`${await packageVersion()}\n`);
  if (name === 'help') return print(helpOf(rest));
  if (name.startsWith('-')) {
    throw usageError(`Unknown flag "${name}".${didYouMean(name, ['--help', '--version'])}`);
  }
  if (asksFor('--help', args) || asksFor('-h', args)) return print(helpOf(args));
  const named = findCommand(COMMANDS, args);
  const given = readGiven(named, surroundings);
  try {
    return (await named.command.run?.(given)) ?? EXIT_CODES.ok.code;
  } catch (error) {
    throw inFlags(asFileError(error), named.command.flags);
  }
}

function helpOf(args: readonly string[]): string {
  if (args.length === 0) return overviewText(COMMANDS);
  const { command, path } = findCommand(COMMANDS, args);
  return helpText(command, path);
}

/** What follows `--` is no flag. */
function asksFor(flag: string, args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes(flag);
}
