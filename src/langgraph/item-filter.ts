/** LangGraph's filters: fields of a value, each with what it must be or how it must compare. */

import { invalidField } from '../domain/error.ts';
import { canonicalJson } from '../domain/json.ts';

type Comparison = (actual: unknown, wanted: unknown) => boolean;

const isEqual: Comparison = (actual, wanted) =>
  actual === wanted || (isContainer(actual) && isContainer(wanted) && canonicalJson(actual) === canonicalJson(wanted));
const isAmong: Comparison = (actual, wanted) =>
  Array.isArray(wanted) && wanted.some((each: unknown) => isEqual(actual, each));

/** Order is that of numbers, as in LangGraph's own stores; what is no number is neither more nor less. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: isEqual,
  $ne: (actual, wanted) => !isEqual(actual, wanted),
  $gt: (actual, wanted) => Number(actual) > Number(wanted),
  $gte: (actual, wanted) => Number(actual) >= Number(wanted),
  $lt: (actual, wanted) => Number(actual) < Number(wanted),
  $lte: (actual, wanted) => Number(actual) <= Number(wanted),
  $in: isAmong,
  $nin: (actual, wanted) => !isAmong(actual, wanted),
};

/** Whether a value meets every condition. Throws `VALIDATION_FAILED` for a comparison that there is not. */
export function filterOf(
  conditions: Readonly<Record<string, unknown>> | null | undefined,
): (value: Readonly<Record<string, unknown>>) => boolean {
  const tests = Object.entries(conditions ?? {}).map(([field, wanted]) => ({ field, meets: testOf(field, wanted) }));
  return (value) => tests.every(({ field, meets }) => meets(Object.hasOwn(value, field) ? value[field] : undefined));
}

function testOf(field: string, wanted: unknown): (actual: unknown) => boolean {
  const names = operatorsIn(wanted);
  if (names === undefined) return (actual) => isEqual(actual, wanted);
  const comparisons = names.map((name) => {
    const compare = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined;
    if (compare) return { compare, than: (wanted as Record<string, unknown>)[name] };
    throw invalidField(`filter.${field}`, `there is no "${name}"; there is ${Object.keys(COMPARISONS).join(', ')}`);
  });
  return (actual) => comparisons.every(({ compare, than }) => compare(actual, than));
}

/** The names of the comparisons; undefined for a plain value. */
function operatorsIn(wanted: unknown): string[] | undefined {
  if (!isContainer(wanted) || Array.isArray(wanted)) return undefined;
  const names = Object.keys(wanted);
  return names.every((name) => name.startsWith('$')) ? names : undefined;
}

function isContainer(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}
