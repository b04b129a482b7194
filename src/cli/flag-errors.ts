/** What an operation says of its input, in the words of the command line: fields as the flags that gave them. */

import { LaminaError } from '../domain/error.ts';
import type { Flag } from './command.ts';
import { IDENTIFIER_FLAGS } from './memory-flags.ts';

/** Where the flag is called otherwise than the field. */
const FLAGS_OF: Readonly<Record<string, string>> = {
  tags: 'tag',
  kinds: 'kind',
  layers: 'layer',
  externalIds: 'external-id',
  expiresAt: 'expires',
  tokenBudget: 'budget',
  userId: 'user',
  ...Object.fromEntries(Object.entries(IDENTIFIER_FLAGS).map(([flag, name]) => [name, flag])),
};

/** The same error, or what was thrown where it speaks of no flag. */
export function inFlags(thrown: unknown, flags: readonly Flag[]): unknown {
  if (!(thrown instanceof LaminaError)) return thrown;
  const message = thrown.code === 'MISSING_IDENTIFIER' ? missingText(thrown, flags) : problemsText(thrown, flags);
  if (message === undefined) return thrown;
  const { code, details, advice, operation, requestId, cause } = thrown;
  return new LaminaError(code, message, {
    ...(details && { details }),
    ...(requestId !== undefined && { requestId }),
    advice,
    operation,
    cause,
  });
}

function missingText({ details = {} }: LaminaError, flags: readonly Flag[]): string | undefined {
  const { layer, missing } = details;
  if (typeof layer !== 'string' || !Array.isArray(missing)) return undefined;
  const named = missing.map((name) => flagOf(String(name), flags));
  if (named.some((flag) => flag === undefined)) return undefined;
  return `The ${layer} layer needs ${named.map((flag) => `--${flag?.name} ${flag?.value}`).join(' and ')}.`;
}

function problemsText({ details = {} }: LaminaError, flags: readonly Flag[]): string | undefined {
  const { problems } = details;
  if (!Array.isArray(problems)) return undefined;
  const told = (problems as readonly { readonly path?: string; readonly message?: string }[]).map((problem) => {
    const { path = '', message = '' } = problem;
    const flag = flagOf(path, flags);
    return {
      isFlag: flag !== undefined,
      text: path === '' ? message : `${flag ? `--${flag.name}` : path}: ${message}`,
    };
  });
  if (!told.some(({ isFlag }) => isFlag)) return undefined;
  return `The input does not fit: ${told.map(({ text }) => text).join('; ')}.`;
}

/** By the last name of the path that is one; services spell names with underscores. */
function flagOf(path: string, flags: readonly Flag[]): Flag | undefined {
  const names = path.split('.').map((part) => part.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  const known = names.map((name) => FLAGS_OF[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  return known.map((name) => flags.find((flag) => flag.name === name)).findLast((flag) => flag !== undefined);
}
