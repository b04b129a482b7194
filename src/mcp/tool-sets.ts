/** Which tools are offered: those of agents, those of the reference memory server, or every operation as well. */

import { GRAPH_TOOLS } from '../tools/graph-tools.ts';
import type { MemoryTool } from '../tools/memory-tool.ts';
import { MEMORY_TOOLS, offeredName } from '../tools/memory-tools.ts';
import { operationTools } from './operation-tools.ts';
import { TOOL_SETS, type ToolSet } from './tool-set-names.ts';

/** A tool under the name that clients call it by. */
export interface OfferedTool {
  readonly name: string;
  readonly tool: MemoryTool;
  /** Its output for clients that do not read structured content. Default: the same as JSON. */
  readonly text?: (output: never) => string;
}

const made = new Map<ToolSet, readonly OfferedTool[]>();

/** The tools of these sets, in the order of {@link TOOL_SETS}. */
export function offeredTools(sets: readonly ToolSet[]): readonly OfferedTool[] {
  return TOOL_SETS.filter((name) => sets.includes(name)).flatMap((name) => {
    const tools = made.get(name) ?? TOOLS_OF[name]();
    made.set(name, tools);
    return tools;
  });
}

const TOOLS_OF: Readonly<Record<ToolSet, () => readonly OfferedTool[]>> = {
  agent: () => MEMORY_TOOLS.map((tool) => ({ name: offeredName(tool), tool })),
  graph: () => GRAPH_TOOLS.map((tool) => ({ name: tool.name, tool, text: (output) => tool.text(output) })),
  operations: () => operationTools().map((tool) => ({ name: tool.name, tool })),
};
