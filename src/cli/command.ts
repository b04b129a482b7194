/** What a command of the command line is: one row of the table from which parsing, help, completion and the docs come. */

import { LaminaError } from '../domain/error.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** What stands for its value in the help, such as `UUID`, `FILE` or `FOLDER`. Absent: a switch, which takes none. */
  readonly value?: string;
  /** A sentence without its full stop. */
  readonly description: string;
  /** Anything else is refused. */
  readonly choices?: readonly string[];
  /** The environment variable of the same setting. */
  readonly variable?: string;
  /** What holds where it is not given, in words. */
  readonly fallback?: string;
  readonly repeatable?: boolean;
  /** Nothing is done without it. */
  readonly required?: boolean;
  /** The heading under which the help lists it. Default: Flags. */
  readonly group?: string;
}

/** A word that stands for itself: `lamina show ID`. */
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
  /** Resolves with the exit code. Throws `LaminaError`. Absent where one below it has to be named. */
  run?(given: Given): Promise<number>;
}

/** What a command line says, checked against the command's parameters and flags. */
export interface Given {
  /** The command with those above it: `keys create`. */
  readonly command: string;
  /** What is given for the parameters, in their order. */
  readonly words: readonly string[];
  /** Whether the flag stands there, with or without a value. */
  has(flag: string): boolean;
  /** The last one, where it stands there more than once. */
  value(flag: string): string | undefined;
  values(flag: string): readonly string[];
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C, SIGTERM and a closed pipe. Its reason is thrown where a command cannot end as if it were done. */
  readonly signal: AbortSignal;
}

/** For machines: what a command with it answers is JSON, and so is its error. */
export const JSON_FLAG: Flag = { name: 'json', description: 'Answer in JSON, for machines' };

/** Of commands that write a file, which otherwise leave alone what is there. */
export const FORCE_FLAG: Flag = { name: 'force', description: 'Write over FILE where it is there already' };

/** A mistake on the command line. */
export function usageError(problem: string, command?: string): LaminaError {
  const help = command === undefined ? 'lamina --help' : `lamina help ${command}`;
  return new LaminaError('VALIDATION_FAILED', `${problem} See: ${help}`);
}
