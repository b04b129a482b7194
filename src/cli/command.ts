/** What a command of the command line is, and how its flags are read. */

import { parseArgs } from 'node:util';
import { didYouMean } from '../compose/nearest-name.ts';
import { LaminaError } from '../domain/error.ts';

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The text of `lamina help NAME`. */
  help(): string;
  /** Resolves with the exit code. Throws `LaminaError`. */
  run(args: readonly string[]): Promise<number>;
}

/** A mistake on the command line. */
export function usageError(problem: string, command?: string): LaminaError {
  const help = command === undefined ? 'lamina --help' : `lamina help ${command}`;
  return new LaminaError('VALIDATION_FAILED', `${problem} See: ${help}`);
}

/**
 * The flags among the arguments, each with a value. `--help` and `-h` are answered before this is called.
 * Throws a usage error for anything else that stands there.
 */
export function readFlagValues(
  command: string,
  args: readonly string[],
  known: readonly string[],
): Map<string, string> {
  const options = Object.fromEntries(known.map((name) => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw usageError(`"${token.value}" is one word too many.`, command);
    if (token.kind !== 'option') continue;
    if (!known.includes(token.name)) {
      const nearest = didYouMean(
        token.rawName,
        known.map((name) => `--${name}`),
      );
      throw usageError(`Unknown flag "${token.rawName}".${nearest}`, command);
    }
    const isFlagItself = token.inlineValue === false && token.value.startsWith('-');
    if (token.value === undefined || isFlagItself) throw usageError(`--${token.name} needs a value.`, command);
    values.set(token.name, token.value);
  }
  return values;
}
