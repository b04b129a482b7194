/** The tools that an agent is given over its memory, under one set of names. */

import { forgetTool } from './forget-tool.ts';
import { lookUpTool } from './look-up-tool.ts';
import type { MemoryTool } from './memory-tool.ts';
import { readTool } from './read-tool.ts';
import { recallTool } from './recall-tool.ts';
import { recentTurnsTool } from './recent-turns-tool.ts';
import { relateTool } from './relate-tool.ts';
import { saveFactTool } from './save-fact-tool.ts';
import { saveProcedureTool } from './save-procedure-tool.ts';
import { turnContextTool } from './turn-context-tool.ts';
import { updateTool } from './update-tool.ts';

/** In the order in which they are offered. */
export const MEMORY_TOOLS: readonly MemoryTool[] = [
  recallTool,
  saveFactTool,
  updateTool,
  forgetTool,
  readTool,
  recentTurnsTool,
  saveProcedureTool,
  relateTool,
  lookUpTool,
  turnContextTool,
];

/** Tools of several vendors share one list, and model providers refuse the dot of `memory.recall`. */
const PREFIX = 'memory_';

/** The name under which a model is offered a tool: `memory_recall` for `recall`. */
export function offeredName({ name }: Pick<MemoryTool, 'name'>): string {
  return `${PREFIX}${name}`;
}
