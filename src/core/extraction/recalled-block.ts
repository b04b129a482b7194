/** Recalled memory that comes back in a conversation: the block of turn context, and what the tools of memory answer. Pure. */

import type { Role } from '../../domain/kind.ts';
import { LAYERS_NOTE, MESSAGE_HEADING, SECTION_FRAMES } from '../../domain/turn-prompt.ts';
import { literal } from './literal-pattern.ts';

const MEMORY_TOOLS = 'recall|read|look_up|recent_turns|turn_context|save_fact|save_procedure|relate|update|forget';
const GRAPH_TOOLS =
  'read_graph|search_nodes|open_nodes|create_entities|create_relations|add_observations|delete_(?:entities|observations|relations)';

/** As models are offered the tools of memory, also by servers that put a name of their own before. */
const MEMORY_TOOL = new RegExp(`(?:^|[_./-])(?:memory[_.](?:${MEMORY_TOOLS})|${GRAPH_TOOLS})$`);

const HEADINGS = Object.values(SECTION_FRAMES)
  .map(({ heading }) => literal(heading))
  .join('|');
const NOTES = Object.values(SECTION_FRAMES)
  .map(({ note }) => `${literal(note)}(?: ${literal(LAYERS_NOTE)})?`)
  .join('|');

/** No text that was recalled can hold a line that reads like one of these: turn context sees to that. */
const MESSAGE_LINE = new RegExp(String.raw`^[ \t]*${literal(MESSAGE_HEADING)}[ \t]*(?:\r?\n|$)`, 'm');
const OPENING = new RegExp(String.raw`^\s*(?:${HEADINGS}|${literal(MESSAGE_HEADING)})[ \t]*(?:\r?\n|$)`);

/** A heading, its note, and what is listed under it. */
const SECTION = sectionOf(`(?:${NOTES})[ \\t]*\\r?\\n`);
/** The same without a note, as whoever writes the block by hand has it. */
const PLAIN_SECTION = sectionOf(`(?:(?:${NOTES})[ \\t]*\\r?\\n)?`);

function sectionOf(note: string): RegExp {
  return new RegExp(String.raw`^[ \t]*(?:${HEADINGS})[ \t]*\r?\n${note}(?:-[ \t].*(?:\r?\n|$))+(?:[ \t]*\r?\n)*`, 'gm');
}

/**
 * What was said without the memory that was put before it; nothing where there is only memory. Sections that stand
 * elsewhere are known by their notes; in a system prompt, which nobody says, also without.
 */
export function withoutRecalled({ role, content }: { readonly role: Role; readonly content: string }): string {
  const message = OPENING.test(content) ? MESSAGE_LINE.exec(content) : null;
  if (message !== null) return content.slice(message.index + message[0].length);
  const rest = content.replaceAll(role === 'system' ? PLAIN_SECTION : SECTION, '');
  return rest === content ? content : rest.trimEnd();
}

/** Whether memory itself said it, to a model that used one of its tools. */
export function isOfMemoryTool({ role, name }: { readonly role: Role; readonly name?: string | undefined }): boolean {
  return role === 'tool' && name !== undefined && MEMORY_TOOL.test(name);
}
