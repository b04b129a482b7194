/** `update`: correcting one memory. */

import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import { changeSeen, tooSensitive } from './change-seen.ts';
import { memoryTool, type MemoryTool, type ToolContext } from './memory-tool.ts';
import { reachedEntry } from './reached-memory.ts';
import { idField, importanceField, tagsField } from './tool-input.ts';
import { mayShow } from './tool-reach.ts';

const input = z.strictObject({
  id: idField.describe('The id that another memory tool gave you.'),
  content: z.string().trim().min(1).max(4000).describe('The whole statement as it is right now, clear on its own.'),
  tags: tagsField.describe('Replaces its tags. Default: they stay.'),
  importance: importanceField.describe('0 to 1. Default: it stays.'),
});

type Change = z.output<typeof input>;

const output = z.strictObject({
  id: z.string(),
  version: z.int().describe('Earlier versions are kept.'),
});

export const updateTool: MemoryTool<typeof input, typeof output> = memoryTool({
  name: 'update',
  title: 'Correct a memory',
  description:
    'Replace the text of one memory, by its id; the old version is kept as history. Use it when the user corrects what is ' +
    'remembered or when it has changed ("I moved to Munich"), instead of saving a second, contradicting fact. Find the id ' +
    'with memory_recall first. Do not use it for what is new (memory_save_fact), nor for relations (memory_relate).',
  input,
  output,
  isReadOnly: false,
  isDestructive: false,
  isIdempotent: true,
  run: (context, change) =>
    changeSeen(async () => {
      const { id } = change;
      const known = await reachedEntry(context, id);
      if (known === null) {
        throw new LaminaError('MEMORY_NOT_FOUND', `There is no memory with the id ${id}.`, { details: { id } });
      }
      if (!mayShow(context, known.sensitivity)) throw tooSensitive();
      return updated(context, change, known.version);
    }),
});

async function updated(
  context: ToolContext,
  change: Change,
  expectedVersion: number,
): Promise<z.output<typeof output>> {
  try {
    // A model wrote it, whoever the principal is.
    const trust = change.content === undefined ? {} : ({ trust: 'agent' } as const);
    const { memory } = await context.memory.update({ ...change, ...trust, expectedVersion });
    return { id: memory.id, version: memory.version };
  } catch (error) {
    const other = error instanceof LaminaError ? error.details?.['conflictingId'] : undefined;
    throw typeof other === 'string' ? await saidAlready(context, change.id, other) : error;
  }
}

/** Retrying would not help: there are two, and one must be deleted. */
async function saidAlready(context: ToolContext, id: string, other: string): Promise<LaminaError> {
  const known = await reachedEntry(context, other);
  if (known === null || !mayShow(context, known.sensitivity)) {
    return new LaminaError('VERSION_CONFLICT', 'Another memory says exactly this already, and nothing was changed.', {
      details: { id },
      advice: 'Leave it, or say it in other words.',
    });
  }
  return new LaminaError(
    'VERSION_CONFLICT',
    `The memory ${other} says exactly this already, and nothing was changed.`,
    {
      details: { id, conflictingId: other },
      advice: `Where ${id} is no longer right, remove it with memory_forget: what should be remembered stands in ${other}.`,
    },
  );
}
