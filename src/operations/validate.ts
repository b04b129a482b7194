/** Turns invalid input into a LaminaError with the right code and a helpful message. */

import type { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import { assertJson } from '../domain/json.ts';
import { LAYERS } from '../domain/scope.ts';
import { firstMisfit } from './long-lists.ts';
import { quickCheckOf, type QuickCheck } from './quick-check.ts';
import { fieldsAt } from './schema-fields.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Nobody reads more problems than this, and an input can have millions. */
const MAX_TOLD = 50;

/** What zod reports of a field that is required and not there. */
const OF_ABSENT: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

function problemOf(issue: z.core.$ZodIssue, input: unknown): Problem {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const { keys } = issue;
    const named = keys.slice(0, MAX_TOLD).map((key) => `"${key}"`);
    return { path, message: `unknown field${keys.length > 1 ? 's' : ''} ${named.join(', ')}${andMore(keys.length)}` };
  }
  return { path, message: missing(issue, input) ?? issue.message.replace(/^Invalid input: /, '') };
}

/** In the words of those who write JSON, which has no undefined. */
function missing(issue: z.core.$ZodIssue, input: unknown): string | undefined {
  if (!OF_ABSENT.has(issue.code) || issue.path.length === 0 || valueAt(input, issue.path) !== undefined)
    return undefined;
  return issue.code === 'invalid_value'
    ? `is missing; accepted are: ${issue.values.map(String).join(', ')}`
    : 'is missing';
}

function knownAt(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const known = fieldsAt(schema, path);
  return known.length === 0 ? '' : `; known are: ${known.join(', ')}`;
}

function andMore(count: number): string {
  return count > MAX_TOLD ? ` and ${count - MAX_TOLD} more` : '';
}

/** The accepted layers if the issue is an unknown layer, else undefined. */
function acceptedLayers(issue: z.core.$ZodIssue, input: unknown): readonly string[] | undefined {
  if (issue.code !== 'invalid_value' || valueAt(input, issue.path) === undefined) return undefined;
  const accepted = issue.values.map(String);
  const isLayer = issue.path.some((key) => key === 'layer' || key === 'layers');
  return isLayer && LAYERS.some((layer) => accepted.includes(layer)) ? accepted : undefined;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}

/** Null for schemas that only zod can read. */
const quickChecks = new WeakMap<z.ZodType, QuickCheck | null>();

function quickly(schema: z.ZodType, input: unknown): object | undefined {
  let check = quickChecks.get(schema);
  if (check === undefined) {
    check = quickCheckOf(schema) ?? null;
    quickChecks.set(schema, check);
  }
  return check === null ? undefined : check(input);
}

/** The input as its schema reads it. Throws `INVALID_LAYER` or `VALIDATION_FAILED`. */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return (quickly(schema, input) ?? validateByZod(schema, input)) as z.output<Schema>;
}

/** The same without the short way: for a test that compares both. */
export function validateByZod<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  assertJson(input);
  const misfit = firstMisfit(schema, input);
  if (misfit) throw refusal(schema, misfit.issues, input);
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw refusal(schema, parsed.error.issues, input);
}

function invalidLayer(path: string, accepted: readonly string[]): LaminaError {
  const message = `Unknown layer at "${path}". Layers are: ${accepted.join(', ')}.`;
  return new LaminaError('INVALID_LAYER', message, { details: { accepted } });
}

function refusal(schema: z.ZodType, issues: readonly z.core.$ZodIssue[], input: unknown): LaminaError {
  for (const issue of issues) {
    const accepted = acceptedLayers(issue, input);
    if (accepted !== undefined) return invalidLayer(problemOf(issue, input).path, accepted);
  }
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys');
  const problems = issues.slice(0, MAX_TOLD).map((issue) => {
    const { path, message } = problemOf(issue, input);
    // Once is enough: the items of a list share the same schema.
    return { path, message: issue === unknown ? message + knownAt(schema, issue.path) : message };
  });
  const sentence = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  return new LaminaError('VALIDATION_FAILED', `The input does not fit: ${sentence}${andMore(issues.length)}.`, {
    details: { problems },
  });
}
