/** Input that does not fit becomes a LaminaError with the right code and a message that helps. */

import type { z } from 'zod';
import { LaminaError, type ErrorCode } from '../domain/error.ts';
import { assertJson } from '../domain/json.ts';
import { LAYERS } from '../domain/scope.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

function problemOf(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return {
      path,
      message: `unknown field${issue.keys.length > 1 ? 's' : ''} ${issue.keys.map((k) => `"${k}"`).join(', ')}`,
    };
  }
  return { path, message: issue.message.replace(/^Invalid input: /, '') };
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
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues;
  const layerIssue = issues.find((issue) => codeOf(issue, input) === 'INVALID_LAYER');
  if (layerIssue) {
    throw new LaminaError(
      'INVALID_LAYER',
      `Unknown layer at "${problemOf(layerIssue).path}". Layers are: ${LAYERS.join(', ')}.`,
      {
        details: { accepted: LAYERS },
      },
    );
  }
  const problems = issues.map(problemOf);
  const sentence = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  throw new LaminaError('VALIDATION_FAILED', `The input does not fit: ${sentence}.`, { details: { problems } });
}
