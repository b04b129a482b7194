/** Checks long lists item by item before parsing the whole input, so that a million bad items yield one error. */

import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import { unwrapped } from './schema-fields.ts';

/** Shorter lists are left to the schema, so that ordinary batches are not checked twice. */
const MANY = 1000;
/** More than any batch limit should allow: longer lists are refused unread. */
const MAX_ITEMS = 100_000;

export interface FirstMisfit {
  readonly issues: readonly z.core.$ZodIssue[];
}

type Path = readonly (string | number)[];

/** The problem of the first bad item in a long list. Throws `LIMIT_EXCEEDED` for one past all limits. */
export function firstMisfit(schema: z.ZodType, input: unknown): FirstMisfit | undefined {
  return hasLongList(input) ? misfitIn(schema, input, []) : undefined;
}

function hasLongList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length > MANY || value.some(hasLongList);
  for (const key in value) if (hasLongList((value as Record<string, unknown>)[key])) return true;
  return false;
}

function misfitIn(schema: z.ZodType, value: unknown, path: Path): FirstMisfit | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const within = unwrapped(schema);
  if (Array.isArray(value)) {
    const list = listIn(within);
    return list && misfitInList(list, value, path);
  }
  if (!(within instanceof z.ZodObject)) return undefined;
  for (const [name, field] of Object.entries<z.ZodType>(within.shape)) {
    const misfit = misfitIn(field, (value as Record<string, unknown>)[name], [...path, name]);
    if (misfit) return misfit;
  }
  return undefined;
}

function misfitInList(item: z.ZodType, values: readonly unknown[], path: Path): FirstMisfit | undefined {
  if (values.length > MAX_ITEMS) {
    const details = { limit: MAX_ITEMS, actual: values.length };
    throw new LaminaError(
      'LIMIT_EXCEEDED',
      `"${path.join('.')}" has more than ${MAX_ITEMS} items. Send fewer at once.`,
      {
        details,
      },
    );
  }
  for (const [at, value] of values.entries()) {
    const misfit = misfitIn(item, value, [...path, at]);
    if (misfit) return misfit;
    const issues = values.length > MANY ? (item.safeParse(value).error?.issues ?? []) : [];
    if (issues.length > 0) return { issues: issues.map((issue) => ({ ...issue, path: [...path, at, ...issue.path] })) };
  }
  return undefined;
}

/** The schema of the items of a list; undefined if it is not a list, or a list of anything. */
function listIn(schema: z.ZodType): z.ZodType | undefined {
  const lists = schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]).map(unwrapped) : [schema];
  const [list, another] = lists.filter((each) => each instanceof z.ZodArray);
  if (list === undefined || another !== undefined) return undefined;
  const item = list.element as z.ZodType;
  return ANYTHING.has(unwrapped(item).def.type) ? undefined : item;
}

const ANYTHING: ReadonlySet<string> = new Set(['any', 'unknown', 'custom']);
