/** Errors name fields; on each side of the wire they name them in that side's spelling. */

import { camelCase, snakeCase } from '../domain/spelling.ts';
import type { LaminaError } from '../domain/error.ts';
import { IDENTIFIER_NAMES } from '../domain/scope.ts';

type ErrorText = Pick<LaminaError, 'code' | 'message' | 'details'>;
type Spell = (path: string) => string;

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What else may be missing. */
const OTHER_NAMES = ['poolId', 'targetAgentId', 'targetUserId'] as const;

const CAMEL_TO_SNAKE = [...IDENTIFIER_NAMES, ...OTHER_NAMES].map((name) => [name, snakeCase(name)] as const);
const SNAKE_TO_CAMEL = CAMEL_TO_SNAKE.map(([camel, snake]) => [snake, camel] as const);

/** In the spelling of the service. `spell` maps a path of the library to its wire name. */
export function encodeError(error: ErrorText, spell: Spell): ErrorText {
  return withDetails(respell(error, spell, CAMEL_TO_SNAKE), snakeCase);
}

/** In the spelling of the library; the inverse of {@link encodeError}. */
export function decodeError(error: ErrorText, spell: Spell): ErrorText {
  return respell(withDetails(error, camelCase), spell, SNAKE_TO_CAMEL);
}

/** The names of details are ours, never a caller's. */
function withDetails({ code, message, details }: ErrorText, spell: Spell): ErrorText {
  return {
    code,
    message,
    details: details && Object.fromEntries(Object.entries(details).map(([name, value]) => [spell(name), value])),
  };
}

function respell(error: ErrorText, spell: Spell, names: readonly (readonly [string, string])[]): ErrorText {
  const { code, details } = error;
  if (code === 'MISSING_IDENTIFIER') return respellIdentifiers(error, new Map(names));
  let { message } = error;
  if (Array.isArray(details?.['problems'])) {
    const problems = (details['problems'] as unknown[]).map((problem) => {
      if (!isProblem(problem)) return problem;
      const spelt = { path: spell(problem.path), message: respellNames(problem, spell) };
      message = message.replace(sentenceOf(problem), () => sentenceOf(spelt));
      return { ...problem, ...spelt };
    });
    return { code, message, details: { ...details, problems } };
  }
  return error;
}

function sentenceOf({ path, message }: Problem): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** A word of two or more, as names of fields are spelt on either side; and what is quoted, which a caller wrote. */
const QUOTED_OR_NAME = /"[^"]*"|\b[a-z]+(?:_[a-z]+|[A-Z][a-z]*)+\b/g;

/** The fields that its message names: of the object at its path, of the one around that, or of the whole input. */
function respellNames({ path, message }: Problem, spell: Spell): string {
  const places = [`${path}.`, path.slice(0, path.lastIndexOf('.') + 1), ''];
  const respelt = (name: string): string | undefined =>
    places.map((place) => lastOf(spell(place + name))).find((spelt) => spelt !== name);
  return message.replace(QUOTED_OR_NAME, (found) => (found.startsWith('"') ? found : (respelt(found) ?? found)));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function isProblem(problem: unknown): problem is Problem {
  return typeof (problem as Problem | null)?.path === 'string' && typeof (problem as Problem).message === 'string';
}

/** The only other error that names fields: its text contains nothing that a caller wrote. */
function respellIdentifiers({ code, message, details }: ErrorText, names: ReadonlyMap<string, string>): ErrorText {
  const words = message.split(/\b/).map((word) => names.get(word) ?? word);
  const missing: unknown = details?.['missing'];
  if (!Array.isArray(missing)) return { code, message: words.join(''), details };
  const respelt = missing.map((name: unknown) => names.get(String(name)) ?? name);
  return { code, message: words.join(''), details: { ...details, missing: respelt } };
}
