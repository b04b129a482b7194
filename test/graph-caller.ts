/** Calling the graph tools as a client would, and a small graph to call them with. */

import { expect } from 'vitest';
import type { GraphOutput } from '../src/tools/graph-schemas.ts';
import { GRAPH_TOOLS } from '../src/tools/graph-tools.ts';
import { runTool, type ToolContext } from '../src/tools/memory-tool.ts';
import type { Answer } from './reference-memory.ts';

export const ADA = { name: 'Ada', entityType: 'person', observations: ['Likes tea', 'Wrote the first program'] };
export const BABBAGE = { name: 'Charles Babbage', entityType: 'person', observations: [] };
export const ENGINE = { name: 'Analytical Engine', entityType: 'machine', observations: ['Was never built'] };
export const DESIGNED = { from: BABBAGE.name, to: ENGINE.name, relationType: 'designed' };
export const PROGRAMMED = { from: ADA.name, to: ENGINE.name, relationType: 'programmed' };

export async function call(context: ToolContext, name: string, input: object): Promise<Answer> {
  const tool = GRAPH_TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  try {
    const answer = await runTool(tool, context, input);
    expect(tool.output.strict().safeParse(answer)).toMatchObject({ success: true });
    return { output: answer, text: tool.text(answer) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

/** What must not fail. */
export async function output<Output = GraphOutput>(
  context: ToolContext,
  name: string,
  input: object = {},
): Promise<Output> {
  const answer = await call(context, name, input);
  if ('failure' in answer) throw new Error(answer.failure);
  return answer.output as Output;
}

/** Twenty create the same name with types and observations of their own: one of them has done it. */
export async function expectOneOfMany(context: ToolContext): Promise<void> {
  const drafts = Array.from({ length: 20 }, (_, n) => ({
    name: 'Ada',
    entityType: `type ${n % 10}`,
    observations: [`Said by ${n}`],
  }));
  const answers = await Promise.all(
    drafts.map((draft) => output<Pick<GraphOutput, 'entities'>>(context, 'create_entities', { entities: [draft] })),
  );
  const created = answers.flatMap(({ entities }) => entities);
  expect(created).toHaveLength(1);
  expect((await output(context, 'read_graph')).entities).toEqual(created);
  expect((await context.memory.list({ layer: 'user' })).totalCount).toBe(1);
  expect((await context.memory.facts.list({ includeClosed: true })).count).toBe(1);
}
