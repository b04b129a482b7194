/** `relate`: what holds of what, and from when to when. */

import { z } from 'zod';
import { invalidField } from '../domain/error.ts';
import type { Fact } from '../domain/fact.ts';
import { WRITE_STATUSES } from '../domain/remember.ts';
import { endRelations } from './end-relations.ts';
import { memoryTool, type MemoryTool } from './memory-tool.ts';
import { layerField, timeField } from './tool-input.ts';
import { reach, toolSource } from './tool-reach.ts';

/** One fact type for everything that models write: a single-valued relation finds its predecessor by it. */
const FACT_TYPE = 'relation';

const term = z.string().trim().min(1).max(1024);

const input = z.strictObject({
  subject: term.describe('What it is about, by its full name, spelled as before: "Ada Lovelace".'),
  predicate: term.describe('What it says, in snake_case: "works_at", "lives_in", "depends_on".'),
  object: term.describe('The other side of the relation: "Acme".'),
  replaces: z
    .boolean()
    .optional()
    .describe('True if only one can hold at a time, such as lives_in: the previous one then ends. Default false.'),
  since: timeField.optional().describe('From when it holds: an ISO 8601 time. Default now.'),
  until: timeField
    .optional()
    .describe(
      'When it ceased to hold: an ISO 8601 time. Without since, it ends the current relation in every open layer.',
    ),
  confidence: z.number().min(0).max(1).optional().describe('0 to 1; default 1.'),
  layer: layerField,
});

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
    'Remember a relation between a subject and an object: "Ada works_at Acme". Use it for people, projects, places ' +
    'and systems and how they relate, above all if that changes over time. Use memory_save_fact for anything ' +
    'that does not fit into subject, predicate and object. With until and without since, it ends a relation.',
  input,
  output,
  isReadOnly: false,
  isDestructive: false,
  isIdempotent: true,
  async run(context, relation) {
    const { since, until, replaces = false, layer, subject, predicate, object, confidence } = relation;
    if (until !== undefined && since === undefined) {
      const ended = await endRelations(context, { subject, predicate, object, layer }, until);
      return { id: ended[0].factId, status: 'updated', ended: ended.map(endedOf) };
    }
    if (until !== undefined && Date.parse(until) < Date.parse(since ?? until)) {
      throw invalidField('until', 'before since');
    }
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
    return { id: fact.factId, status, ended: closed.map(endedOf) };
  },
});

function endedOf({ factId, object }: Fact): z.output<typeof output>['ended'][number] {
  return { id: factId, object };
}
