/** Input that does not fit becomes a LaminaError with the right code and a message that helps. */

import type { z } from 'zod';
import { LaminaError, type ErrorCode } from '../domain/error.ts';
import { assertJson } from '../domain/json.ts';
import { LAYERS } from '../domain/scope.ts';
import { firstMisfit } from './long-lists.ts';
import { fieldsAt } from './schema-fields.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Nobody reads more than so many problems, and a caller can make millions. */
const MAX_TOLD = 50;

function problemOf(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const { keys } = issue;
    const named = keys.slice(0, MAX_TOLD).map((key) => `"${key}"`);
    return { path, message: `unknown field${keys.length > 1 ? 's' : ''} ${named.join(', ')}${andMore(keys.length)}` };
  }
  return { path, message: issue.message.replace(/^Invalid input: /, '') };
}

function knownAt(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const known = fieldsAt(schema, path);
  return known.length === 0 ? '' : `; known are: ${known.join(', ')}`;
}

function andMore(count: number): string {
  return count > MAX_TOLD ? ` and ${count - MAX_TOLD} more` : '';
}

function codeOf(issue: z.core.$ZodIssue, input: unknown): ErrorCode {
  const isLayer = issue.path.some((key) => key === 'layer' || key === 'layers');
  const isUnknown = isLayer && issue.code === 'invalid_value' && valueAt(input, issue.path) !== undefined;
  return isUnknown ? 'INVALID_LAYER' : 'VALIDATION_FAILED';
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}

/** The input as its schema reads it. Throws `INVALID_LAYER` or `VALIDATION_FAILED`. */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  assertJson(input);
  const misfit = firstMisfit(schema, input);
  if (misfit) throw refusal(schema, misfit.issues, input);
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw refusal(schema, parsed.error.issues, input);
}

function refusal(schema: z.ZodType, issues: readonly z.core.$ZodIssue[], input: unknown): LaminaError {
  const layerIssue = issues.find((issue) => codeOf(issue, input) === 'INVALID_LAYER');
  if (layerIssue) {
    return new LaminaError(
      'INVALID_LAYER',
      `Unknown layer at "${problemOf(layerIssue).path}". Layers are: ${LAYERS.join(', ')}.`,
      {
        details: { accepted: LAYERS },
      },
    );
  }
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys');
  const problems = issues.slice(0, MAX_TOLD).map((issue) => {
    const { path, message } = problemOf(issue);
    // Once is enough: items of a list have the same.
    return { path, message: issue === unknown ? message + knownAt(schema, issue.path) : message };
  });
  const sentence = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  return new LaminaError('VALIDATION_FAILED', `The input does not fit: ${sentence}${andMore(issues.length)}.`, {
    details: { problems },
  });
}
