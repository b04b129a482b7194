/** Recalled memory that comes back in a conversation: the block of turn context, and what the memory tools read. Pure. */

import type { RememberMessage } from '../../domain/extraction.ts';

/** As turn context writes them, each on a line of its own. No text that was recalled can hold such a line. */
const MEMORY = '[Relevant Memory]';
const MESSAGE = '[User Message]';

const MEMORY_LINE = lineOf(MEMORY);
const MESSAGE_LINE = lineOf(MESSAGE);

/** As models are offered the tools that read memory, also by servers that put a name of their own before. */
const RECALL_TOOL =
  /(?:^|[_./-])(?:memory[_.](?:recall|look_up|read|recent_turns|turn_context)|read_graph|search_nodes|open_nodes)$/;

/**
 * What was said without the memory that was put before it; nothing where there is only memory. A system prompt may also
 * have it at its end, after what is the prompt's own.
 */
export function withoutRecalled({ role, content }: RememberMessage): string {
  const memory = MEMORY_LINE.exec(content);
  if (memory === null) return content;
  const before = content.slice(0, memory.index);
  if (before.trim() !== '' && role !== 'system') return content;
  const recalled = content.slice(memory.index);
  const message = MESSAGE_LINE.exec(recalled);
  const after = message === null ? '' : recalled.slice(message.index + message[0].length);
  return before.trim() === '' ? after : before.trimEnd() + after;
}

/** Whether it is what a tool read from memory. */
export function isRecallTool({ role, name }: RememberMessage): boolean {
  return role === 'tool' && name !== undefined && RECALL_TOOL.test(name);
}

function lineOf(text: string): RegExp {
  const literal = text.replaceAll(/[[\]]/g, String.raw`\$&`);
  return new RegExp(String.raw`^[ \t]*${literal}[ \t]*(?:\r?\n|$)`, 'm');
}
