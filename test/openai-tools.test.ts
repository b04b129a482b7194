/** Function schemas by the rules of OpenAI's strict mode, and calls answered text for text with a scripted model. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LaminaError } from '../src/domain/error.ts';
import type { Memory } from '../src/operations/memory.ts';
import {
  callTool,
  MEMORY_TOOLS,
  openAiResponsesTools,
  openAiTools,
  type JsonSchema,
  type MemoryTool,
} from '../src/tools/index.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

/** What every service with a strict mode takes; the rest is refused by one or the other. */
const STRICT_KEYWORDS = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'enum',
  'const',
  'anyOf',
  'items',
];

function assertStrict(schema: JsonSchema, path: string): void {
  expect(
    Object.keys(schema).filter((key) => !STRICT_KEYWORDS.includes(key)),
    path,
  ).toEqual([]);
  if (schema['type'] === 'object') {
    const properties = schema['properties'] as Record<string, JsonSchema>;
    expect(schema['additionalProperties'], path).toBe(false);
    expect(schema['required'], path).toEqual(Object.keys(properties));
    for (const [name, property] of Object.entries(properties)) assertStrict(property, `${path}.${name}`);
  }
  if (schema['items'] !== undefined) assertStrict(schema['items'] as JsonSchema, `${path}[]`);
}

async function open(): Promise<Memory> {
  const { lamina } = untilTestEnds(await openLamina());
  return lamina.as({ userId: 'ada', agentId: 'helper' });
}

function tool(input: z.ZodObject, run: MemoryTool['run'] = async () => ({})): MemoryTool {
  const shape = { isReadOnly: true, isDestructive: false, isIdempotent: true, output: z.strictObject({}) };
  return { name: 'probe', title: 'Probe', description: 'Use it in tests.', input, ...shape, run };
}

describe('openAiTools', () => {
  it('are strict, all of them, and short', () => {
    const tools = openAiTools();
    expect(tools).toHaveLength(MEMORY_TOOLS.length);
    for (const { type, function: definition } of tools) {
      expect([type, definition.strict]).toEqual(['function', true]);
      expect(definition.name).toMatch(/^memory_[a-z_]{1,50}$/);
      assertStrict(definition.parameters, definition.name);
    }
    // All ten together: about 3,000 tokens.
    expect(JSON.stringify(tools).length).toBeLessThan(13_000);
    expect(openAiResponsesTools()[0]).toEqual({ type: 'function', ...tools[0]?.function });
  });

  it('let a model write null for what it leaves out', () => {
    const [{ function: recall } = {}] = openAiTools();
    const properties = recall?.parameters['properties'] as Record<string, JsonSchema>;
    expect(properties['query']).toMatchObject({ type: 'string' });
    expect(properties['limit']).toMatchObject({ type: ['integer', 'null'] });
    expect(properties['kinds']).toMatchObject({ type: ['array', 'null'], items: { type: 'string' } });
    const saveFact = openAiTools().find(({ function: { name } }) => name === 'memory_save_fact')?.function.parameters;
    expect(saveFact).toHaveProperty('properties.sensitivity.enum', [
      'public',
      'internal',
      'confidential',
      'restricted',
      null,
    ]);
  });

  it('say so where strict mode cannot be', () => {
    const free = tool(z.strictObject({ fields: z.record(z.string(), z.string()) }));
    expect(openAiTools([free])[0]?.function).toMatchObject({ strict: false, parameters: { type: 'object' } });
    const loose = tool(z.looseObject({ a: z.string() }));
    expect(openAiTools([loose])[0]?.function.strict).toBe(false);
    const nested = tool(z.strictObject({ list: z.array(z.strictObject({ a: z.string(), b: z.int().optional() })) }));
    const { strict, parameters } = openAiTools([nested])[0]?.function ?? {};
    expect(strict).toBe(true);
    assertStrict(parameters ?? {}, 'nested');
    const either = tool(
      z.strictObject({
        value: z.union([z.string(), z.number()]).optional(),
        only: z.literal('this').optional(),
        or: z.union([z.strictObject({ a: z.string().min(1).optional() }), z.string()]),
      }),
    );
    expect(openAiTools([either])[0]?.function.parameters['properties']).toEqual({
      value: { type: ['string', 'number', 'null'] },
      only: { anyOf: [{ type: 'string', const: 'this' }, { type: 'null' }] },
      or: {
        anyOf: [
          {
            type: 'object',
            properties: { a: { type: ['string', 'null'] } },
            required: ['a'],
            additionalProperties: false,
          },
          { type: 'string' },
        ],
      },
    });
  });
});

/** As a chat completion brings it. */
interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

/** A model that saves, recalls and, told that it did it wrong, does it right. */
function* scriptedModel(): Generator<ToolCall, string, string> {
  const refused = yield { name: 'memory_save_fact', arguments: '{"content": ""}' };
  if (!refused.includes('VALIDATION_FAILED')) throw new Error(refused);
  const nulls = '{"content": "Ada was born in London.", "layer": null, "tags": null, "importance": null}';
  yield { name: 'memory_save_fact', arguments: nulls };
  const recalled = yield {
    name: 'memory_recall',
    arguments: '{"query": "Where was Ada born?", "kinds": null, "limit": 3}',
  };
  const { memories } = JSON.parse(recalled) as { memories: { content: string }[] };
  return memories.map(({ content }) => content).join();
}

describe('callTool', () => {
  it('serves a conversation with a model that makes mistakes', async () => {
    const context = { memory: await open() };
    const model = scriptedModel();
    let step = model.next();
    while (step.done !== true) {
      step = model.next(await callTool(context, step.value.name, step.value.arguments));
    }
    expect(step.value).toBe('Ada was born in London.');
  });

  it('takes names as they are offered, bare, and with the dot', async () => {
    const context = { memory: await open() };
    for (const name of ['memory_recall', 'recall', 'memory.recall']) {
      expect(JSON.parse(await callTool(context, name, '{"query": "x"}'))).toMatchObject({ memories: [] });
    }
    expect(JSON.parse(await callTool(context, 'recent_turns', ''))).toMatchObject({ turns: [] });
  });

  it('answers every mistake of a model with what to do about it', async () => {
    const context = { memory: await open() };
    const mistakes: [string, string, string, RegExp][] = [
      ['memory_guess', '{}', 'NOT_FOUND', /memory_recall/],
      ['__proto__', '{}', 'NOT_FOUND', /memory_recall/],
      ['recall', '{"query": ', 'VALIDATION_FAILED', /JSON/],
      ['recall', '"tea"', 'VALIDATION_FAILED', /object/],
      ['recall', 'null', 'VALIDATION_FAILED', /object/],
      ['recall', '[]', 'VALIDATION_FAILED', /object/],
      ['recall', '{"query": null}', 'VALIDATION_FAILED', /query/],
      ['recall', '{"query": "x", "__proto__": {"limit": 3}}', 'VALIDATION_FAILED', /__proto__/],
      ['recall', '{"query": "x", "sql": "drop table"}', 'VALIDATION_FAILED', /sql/],
      ['save_fact', '{"content": "x", "layer": "project"}', 'MISSING_IDENTIFIER', /projectId/],
    ];
    for (const [name, json, code, told] of mistakes) {
      const { error } = JSON.parse(await callTool(context, name, json)) as { error: Record<string, unknown> };
      expect(error, `${name} ${json}`).toMatchObject({ code, message: expect.stringMatching(told), retryable: false });
      expect(error['advice']).toBeTruthy();
      await expect(callTool(context, name, json, { failures: 'throw' })).rejects.toThrow(LaminaError);
    }
  });

  it('takes arguments that a service has parsed already, and none at all', async () => {
    const context = { memory: await open() };
    const saved = await callTool(context, 'save_fact', { content: 'Ada has a cat.', layer: null, tags: ['pets'] });
    expect(JSON.parse(saved)).toMatchObject({ status: 'created' });
    for (const nothing of [undefined, null, '', {}]) {
      expect(JSON.parse(await callTool(context, 'recent_turns', nothing))).toMatchObject({ turns: [] });
      expect(JSON.parse(await callTool(context, 'recall', nothing))).toMatchObject({
        error: { code: 'VALIDATION_FAILED', details: { problems: [{ path: 'query' }] } },
      });
    }
    for (const wrong of [7, true, ['tea']]) {
      const answer = await callTool(context, 'recall', wrong as never);
      expect(JSON.parse(answer)).toMatchObject({ error: { code: 'VALIDATION_FAILED', retryable: false } });
    }
    for (const name of [undefined, null, 7]) {
      const answer = await callTool(context, name as never, '{}');
      expect(JSON.parse(answer)).toMatchObject({ error: { code: 'VALIDATION_FAILED', retryable: false } });
    }
  });

  it('says so where the program gives it no memory of anybody', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    for (const context of [{ memory: lamina }, {}, undefined]) {
      const answer = await callTool(context as never, 'recall', '{"query": "x"}');
      const { error } = JSON.parse(answer) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ code: 'CONFIGURATION_ERROR', retryable: false });
      expect(error['message']).toContain('lamina.as(');
    }
    const bare = await callTool(lamina.as({ userId: 'ada' }) as never, 'recall', '{"query": "x"}');
    expect(bare).toContain('give { memory: lamina.as({ userId }) }');
  });

  it('tells a model nothing of what is behind a failure', async () => {
    const { lamina, close } = await openLamina();
    const memory = lamina.as({ userId: 'ada' });
    await close();
    const closed = JSON.parse(await callTool({ memory }, 'recall', '{"query": "x"}')) as object;
    expect(closed).toMatchObject({ error: { code: expect.stringMatching(/UNAVAILABLE|PROVIDER_ERROR/) } });
    const leaky = tool(z.strictObject({}), () => Promise.reject(new Error('password=hunter2 at /var/lib')));
    const answer = await callTool({ memory }, 'probe', '{}', { tools: [leaky] });
    expect(answer).toContain('PROVIDER_ERROR');
    expect(answer).not.toContain('hunter2');
  });
});
