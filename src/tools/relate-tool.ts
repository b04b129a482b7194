/** `relate`: what holds of what, and from when to when. */

import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import { WRITE_STATUSES } from '../domain/remember.ts';
import { memoryTool, type MemoryTool, type ToolContext } from './memory-tool.ts';
import { layerField, timeField } from './tool-input.ts';
import { reach, toolSource } from './tool-reach.ts';

/** One type for all that models write: by it a relation that can only hold once finds the one before it. */
const FACT_TYPE = 'relation';

const term = z.string().trim().min(1).max(1024);

const input = z.strictObject({
  subject: term.describe('What it is about, by its full name, spelled as before: "Ada Lovelace".'),
  predicate: term.describe('What it says, in snake_case: "works_at", "lives_in", "depends_on".'),
  object: term.describe('What stands on the other side: "Acme".'),
  replaces: z
    .boolean()
    .optional()
    .describe('True where only one can hold at a time, such as lives_in: what held before then ends. Default false.'),
  since: timeField.optional().describe('From when on it holds: an ISO 8601 time. Default now.'),
  until: timeField
    .optional()
    .describe('When it ceased to hold: an ISO 8601 time. Alone it ends the relation that holds.'),
  confidence: z.number().min(0).max(1).optional().describe('0 to 1; default 1.'),
  layer: layerField,
});

type RelateInput = z.output<typeof input>;

const output = z.strictObject({
  id: z.string(),
  status: z.enum(WRITE_STATUSES),
  ended: z
    .array(z.strictObject({ id: z.string(), object: z.string() }))
    .describe('What no longer holds because of it.'),
});

export const relateTool: MemoryTool<typeof input, typeof output> = memoryTool({
  name: 'relate',
  title: 'Relate two things',
  description:
    'Remember that a subject stands in a relation to an object: "Ada works_at Acme". Use it for people, projects, places ' +
    'and systems and how they hang together, above all where that changes with time. Use memory_save_fact for anything ' +
    'that does not fit into subject, predicate and object. With until and without since it ends a relation.',
  input,
  output,
  isReadOnly: false,
  isDestructive: false,
  isIdempotent: true,
  async run(context, relation) {
    const { since, until, replaces = false, layer, subject, predicate, object, confidence } = relation;
    if (until !== undefined && since === undefined) return end(context, relation, until);
    const { fact, status, closed } = await context.memory.facts.add({
      factType: FACT_TYPE,
      subject,
      predicate,
      object,
      cardinality: replaces ? 'one' : 'many',
      ...(layer !== undefined && { layer }),
      ...reach(context),
      ...(confidence !== undefined && { confidence }),
      ...(since !== undefined && { validFrom: since }),
      ...(until !== undefined && { validTo: until }),
      source: toolSource(context),
    });
    const ended = closed.map((each) => ({ id: each.factId, object: each.object }));
    return { id: fact.factId, status, ended };
  },
});

async function end(context: ToolContext, relation: RelateInput, until: string): Promise<z.output<typeof output>> {
  const { subject, predicate, object, layer } = relation;
  const { facts } = context.memory;
  const found = await facts.list({
    subject,
    predicate,
    object,
    ...(layer !== undefined && { layer }),
    ...reach(context),
    limit: 1,
  });
  const [standing] = found.facts;
  if (standing === undefined) {
    throw new LaminaError(
      'NOT_FOUND',
      `No relation "${subject} ${predicate} ${object}" holds now. Look it up with memory_look_up, or give since as well ` +
        'to remember one that is over.',
    );
  }
  const fact = await facts.update({ factId: standing.factId, validTo: until });
  return { id: fact.factId, status: 'updated', ended: [{ id: fact.factId, object }] };
}
