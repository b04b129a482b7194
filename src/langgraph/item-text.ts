/** The text by which an item is found: what its value says, or what stands at some paths of it. */

import { invalidField } from '../domain/error.ts';
import { hasText } from '../domain/has-text.ts';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import type { Json, JsonObject } from '../domain/json.ts';

/** As LangGraph has it: the paths to index, or false for an item that is not found by what it says. */
export type Indexing = false | readonly string[];

/** The whole value. */
const WHOLE = '$';

/** Undefined where nothing is to be indexed, or nothing is there. What is past the limit of a content is left out. */
export function textOf(value: JsonObject, index: Indexing): string | undefined {
  const text = partsOf(value, index).join('\n');
  return hasText(text) ? cut(text, DEFAULT_LIMITS.contentLength) : undefined;
}

/** The lines of that text; one that says a text of several lines has as many. */
export function partsOf(value: JsonObject, index: Indexing): string[] {
  return index === false ? [] : index.flatMap((path) => textsAt(value, path));
}

/** Throws `VALIDATION_FAILED`. */
export function assertIndexing(index: unknown): asserts index is Indexing {
  if (index === false || (Array.isArray(index) && index.every((path) => typeof path === 'string'))) return;
  throw invalidField('index', 'must be a list of paths, or false');
}

/** At most so many characters, none of them halved. */
export function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : Array.from(text.slice(0, 2 * length))
        .slice(0, length)
        .join('');
}

function textsAt(value: JsonObject, path: string): string[] {
  if (path === WHOLE || path === '') return linesOf(value);
  return walk(value, stepsOf(path)).flatMap((found) => {
    if (found === null) return [];
    return typeof found === 'object' ? [linesOf(found).join('\n')] : [String(found)];
  });
}

/** `a.b[0].*.{c,d.e}` → `a`, `b`, `[0]`, `*`, `{c,d.e}`. */
function stepsOf(path: string): string[] {
  return path.match(/\[[^\]]*\]|\{[^}]*\}|[^.[\]{}]+/gu) ?? [];
}

/** All that the steps lead to, in the order in which it stands there. */
function walk(from: Json | undefined, steps: readonly string[]): Json[] {
  if (from === undefined) return [];
  const [step, ...rest] = steps;
  if (step === undefined) return [from];
  if (from === null || typeof from !== 'object') return [];
  if (step.startsWith('{')) {
    const fields = step.slice(1, -1).split(',');
    return fields.flatMap((field) => walk(from, [...stepsOf(field.trim()), ...rest]));
  }
  if (step === '*') return Object.values(from).flatMap((inner: Json) => walk(inner, rest));
  if (!step.startsWith('[')) return Object.hasOwn(from, step) ? walk((from as JsonObject)[step], rest) : [];
  if (!Array.isArray(from)) return [];
  const items: readonly Json[] = from;
  if (step === '[*]') return items.flatMap((item) => walk(item, rest));
  return /^\[-?\d+\]$/.test(step) ? walk(items.at(Number(step.slice(1, -1))), rest) : [];
}

/** A line for everything that a value says: what it is called, and what it is. */
function linesOf(value: Json, name = ''): string[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [name === '' ? String(value) : `${name}: ${value}`];
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    const isPlain = items.every((item) => item === null || typeof item !== 'object');
    if (isPlain) return linesOf(items.filter((item) => item !== null).join(', ') || null, name);
    return items.flatMap((item) => linesOf(item, name));
  }
  return Object.entries(value as JsonObject).flatMap(([key, inner]) =>
    linesOf(inner, name === '' ? key : `${name}.${key}`),
  );
}
