/** What the memory contract is run against, and how each of its tests gets a fresh one. */

import assert from 'node:assert/strict';
import type { LifecycleOptions } from '../domain/lifecycle-policy.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import { memoryOver, type Memory } from '../operations/memory.ts';
import { isAbsence, type Operation } from '../operations/operation.ts';
import {
  OPERATIONS,
  type CallName,
  type Follow,
  type Invoke,
  type OperationInput,
  type OperationName,
  type StreamName,
} from '../operations/table.ts';
import type { Clock } from '../ports/clock.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { HashEmbedder } from './hash-embedder.ts';

/** The two functions of a test runner that the suites need: those of vitest, of `node:test` and of others fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** An open Lamina on an empty store, in this process or behind a client. */
export interface MemorySubject {
  as(principal: PrincipalInput): Memory;
  /** The one that it embeds with, so that a test can count its texts and make it fail. */
  readonly embedder: HashEmbedder;
  close(): Promise<void>;
}

export interface SubjectOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: all off. */
  readonly lifecycle?: LifecycleOptions;
  /** Default: none. It is closed with the rest. */
  readonly languageModel?: LanguageModel;
}

export type OpenMemory = (options?: SubjectOptions) => Promise<MemorySubject>;

/** Declares a test that gets a subject of its own. */
export type MemoryTest = (
  name: string,
  body: (subject: MemorySubject) => Promise<void>,
  options?: SubjectOptions,
) => void;

export function memoryTest({ it }: TestRunner, open: OpenMemory): MemoryTest {
  return (name, body, options) => {
    it(name, async () => {
      const subject = await open(options);
      try {
        await body({
          embedder: subject.embedder,
          as: (principal) => checked(subject.as(principal)),
          close: subject.close,
        });
      } finally {
        await subject.close();
      }
    });
  };
}

/** The same memory, of which every answer is held against the schema of its operation. */
function checked(memory: Memory): Memory {
  const invoke = async (name: CallName, input: unknown): Promise<unknown> =>
    conforming(name, await call(memory, name, input));
  const follow = async function* (name: StreamName, input: object, signal?: AbortSignal): AsyncGenerator<object> {
    const items = methodOf(memory, name)({ ...input, signal }) as AsyncIterable<{ readonly id: string }>;
    for await (const item of items) yield { items: [conforming(name, item)], position: item.id };
  };
  return memoryOver(invoke as Invoke, follow as Follow);
}

/** The operations of the table are the methods of a memory; only a batch is spelled differently. */
async function call(memory: Memory, name: CallName, input: unknown): Promise<unknown> {
  if (name === 'addMany') return { results: await memory.addMany((input as OperationInput<'addMany'>).memories) };
  return methodOf(memory, name)(input);
}

function methodOf(memory: Memory, name: OperationName): (input: unknown) => unknown {
  let target: unknown = memory;
  for (const part of name.split('.')) target = (target as Record<string, unknown>)[part];
  return target as (input: unknown) => unknown;
}

/** Exactly what the schema says, and the same after a trip over the wire: no `undefined`, no unknown field. */
function conforming(name: OperationName, output: unknown): unknown {
  const operation: Operation = OPERATIONS[name];
  if (output === null && isAbsence(operation, output)) return output;
  assert.deepEqual(operation.output.parse(output), output, `the output of ${name} does not fit its schema`);
  assert.deepEqual(JSON.parse(JSON.stringify(output)), output, `the output of ${name} is not plain JSON`);
  return output;
}
