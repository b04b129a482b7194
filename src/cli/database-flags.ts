/** The database on the command line: one flag, which has the name of its variable too. */

import { usageError, type Flag, type Given } from './command.ts';

const NAMES = ['database', 'database-url'] as const;

/** Every command that takes one takes both. */
export function databaseFlags(flag: Omit<Flag, 'name'>): readonly Flag[] {
  const { value, group } = flag;
  const [name, alias] = NAMES;
  return [
    { ...flag, name },
    { name: alias, ...(value && { value }), ...(group && { group }), description: `The same as --${name}` },
  ];
}

/** Throws a usage error for both at once, and for either beside `--url`. */
export function databaseGiven(given: Given): string | undefined {
  const [name, other] = NAMES.filter((each) => given.has(each));
  if (name === undefined) return undefined;
  if (other !== undefined) throw usageError('--database and --database-url are the same: give one.', given.command);
  if (given.has('url')) throw usageError(`--url and --${name} exclude each other.`, given.command);
  return given.value(name);
}
