/** The sets of tools that a client can choose from, by name. */

import { LaminaError } from '../domain/error.ts';

export const TOOL_SETS = ['agent', 'graph', 'operations'] as const;

export type ToolSet = (typeof TOOL_SETS)[number];

/** What an agent usually needs, and what clients of the reference memory server expect. */
export const DEFAULT_TOOL_SETS: readonly ToolSet[] = ['agent', 'graph'];

/** Reads a choice such as `agent,graph` or `all`. Throws `VALIDATION_FAILED`. */
export function parseToolSets(text: string): readonly ToolSet[] {
  const names = text.split(',').map((name) => name.trim());
  const chosen = new Set<string>(names.flatMap((name) => (name === 'all' ? TOOL_SETS : [name])));
  const unknown = [...chosen].find((name) => !(TOOL_SETS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const accepted = `a list of ${TOOL_SETS.join(', ')}, or all`;
    throw new LaminaError('VALIDATION_FAILED', `"${unknown}" is no set of tools. Tools are chosen by ${accepted}.`);
  }
  return TOOL_SETS.filter((name) => chosen.has(name));
}
