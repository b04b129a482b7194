/** What the contract suites assert again and again. */

import assert from 'node:assert/strict';
import { LaminaError, type ErrorCode } from '../domain/error.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';

/** The error of a call that must fail with this code. */
export async function failure(code: ErrorCode, call: Promise<unknown>): Promise<LaminaError> {
  const outcome = await call.then(
    (value: unknown) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) assert.fail(`expected ${code}, but the call answered ${JSON.stringify(outcome.value)}`);
  const { error } = outcome;
  assert.ok(error instanceof LaminaError, `expected a LaminaError, got ${String(error)}`);
  assert.equal(error.code, code, error.message);
  assert.ok(error.message.length > 10, `a message should help: "${error.message}"`);
  assertTellsNothing(error);
  return error;
}

/** Nothing of the inside may reach a caller. */
function assertTellsNothing(error: LaminaError): void {
  const told = JSON.stringify(error.toJSON());
  assert.doesNotMatch(told, /SELECT |INSERT |UPDATE |node_modules|\.ts\b|\bat .+:\d+:\d+/);
}

/** What a search brings up when nothing is too far off, by content, in order. */
export async function recalled(memory: Memory, input: OperationInput<'search'>): Promise<string[]> {
  const { results } = await memory.search({ threshold: 0, limit: 100, ...input });
  return results.map((result) => result.memory.content);
}

/** Every content of a list, over all of its pages. */
export async function listed(memory: Memory, input: OperationInput<'list'>): Promise<string[]> {
  const contents: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await memory.list({ limit: 100, ...input, ...(cursor && { cursor }) });
    contents.push(...page.memories.map((entry) => entry.content));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return contents;
}

export function assertSameMembers(actual: Iterable<string>, expected: Iterable<string>, message?: string): void {
  assert.deepEqual([...actual].toSorted(), [...expected].toSorted(), message);
}

/** One element of a list that must have it. */
export function nth<T>(list: readonly T[], index = 0): T {
  const item = list.at(index);
  assert.ok(item !== undefined, `there is no element ${index} in a list of ${list.length}`);
  return item;
}
