/** `update`: correcting one memory. */

import { z } from 'zod';
import { memoryTool, type MemoryTool } from './memory-tool.ts';
import { idField, importanceField, tagsField } from './tool-input.ts';

const input = z.strictObject({
  id: idField.describe('The id that another memory tool gave you.'),
  content: z.string().trim().min(1).max(4000).describe('The whole statement as it is right now, clear on its own.'),
  tags: tagsField.describe('Replace its tags. Default: they stay.'),
  importance: importanceField.describe('0 to 1. Default: it stays.'),
});

const output = z.strictObject({
  id: z.string(),
  version: z.int().describe('The versions before it are kept.'),
});

export const updateTool: MemoryTool<typeof input, typeof output> = memoryTool({
  name: 'update',
  title: 'Correct a memory',
  description:
    'Replace the text of one memory by its id; the old version is kept as history. Use it when the user corrects what is ' +
    'remembered or when it has changed ("I moved to Munich"), instead of saving a second, contradicting fact. Find the id ' +
    'with memory_recall first. Do not use it for what is new (memory_save_fact), nor for relations (memory_relate).',
  input,
  output,
  isReadOnly: false,
  isDestructive: false,
  isIdempotent: true,
  async run({ memory }, change) {
    const updated = await memory.update(change);
    return { id: updated.memory.id, version: updated.memory.version };
  },
});
