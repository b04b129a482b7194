/** A command of the command line: one row of the table that drives parsing, help, completion and the docs. */

import { LaminaError } from '../domain/error.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** The placeholder of its value in the help, such as `UUID`, `FILE` or `FOLDER`. Absent: a switch, which takes no value. */
  readonly value?: string;
  /** A sentence without its full stop. */
  readonly description: string;
  /** Anything else is refused. */
  readonly choices?: readonly string[];
  /** The environment variable of the same setting. */
  readonly variable?: string;
  /** Its default, in words. */
  readonly fallback?: string;
  readonly repeatable?: boolean;
  /** Required. */
  readonly required?: boolean;
  /** The heading under which the help lists it. Default: Flags. */
  readonly group?: string;
}

/** A positional argument: `lamina show ID`. */
export interface Parameter {
  /** In capital letters. */
  readonly name: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly optional?: boolean;
  /** The last one only: any number of words. */
  readonly many?: boolean;
}

export interface Example {
  /** A whole command line, from `lamina` on. */
  readonly line: string;
  readonly does: string;
}

/** A setting that has no flag. */
export interface Variable {
  readonly name: string;
  readonly description: string;
  readonly fallback?: string;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly flags: readonly Flag[];
  readonly variables?: readonly Variable[];
  readonly examples: readonly Example[];
  /** Paragraphs for the end of its help, with an empty line between them. */
  readonly notes?: string;
  /** Those below it: `lamina keys create`. */
  readonly commands?: readonly Command[];
  /** Resolves with the exit code. Throws `LaminaError`. Absent if a subcommand is required. */
  run?(given: Given): Promise<number>;
}

/** What a command line says, checked against the command's parameters and flags. */
export interface Given {
  /** The command with those above it: `keys create`. */
  readonly command: string;
  /** What is given for the parameters, in their order. */
  readonly words: readonly string[];
  /** Whether the flag is given, with or without a value. */
  has(flag: string): boolean;
  /** The last one, if it is given more than once. */
  value(flag: string): string | undefined;
  values(flag: string): readonly string[];
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C, SIGTERM and a closed pipe. Its reason is thrown if a command cannot end normally. */
  readonly signal: AbortSignal;
}

/** For machines: the output of a command with it is JSON, and so is its error. */
export const JSON_FLAG: Flag = { name: 'json', description: 'Answer in JSON, for machines' };

/** For commands that write a file, which otherwise do not overwrite. */
export const FORCE_FLAG: Flag = { name: 'force', description: 'Write over FILE where it is there already' };

/** A mistake on the command line. */
export function usageError(problem: string, command?: string): LaminaError {
  const help = command === undefined ? 'lamina --help' : `lamina help ${command}`;
  return new LaminaError('VALIDATION_FAILED', `${problem} See: ${help}`);
}
