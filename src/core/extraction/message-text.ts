/** What a message says, in whichever form it comes: a text, or parts of which some are texts. Pure. */

import type { RememberMessage } from '../../domain/extraction.ts';
import type { Role } from '../../domain/kind.ts';

/** What the programming interfaces of models call a part that is a text. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text']);

type Part = Exclude<RememberMessage['content'], string | null | undefined>[number];

interface PartText {
  readonly text: string;
  /** Of a part that is what a tool answered. */
  readonly toolName?: string | undefined;
}

export interface MessageText {
  readonly texts: readonly PartText[];
  /** What it has besides. */
  readonly leftOut: readonly string[];
}

export function messageText({ content, refusal, tool_calls: calls }: RememberMessage): MessageText {
  const parts = Array.isArray(content) ? content : [{ type: 'text', text: content ?? refusal ?? '' }];
  const read = parts.map((part) => ({ type: part.type, found: textOf(part) }));
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const others = read.filter(({ found }) => found === undefined).map(({ type }) => type);
  return {
    texts: read.flatMap(({ found }) => found ?? []),
    leftOut: [...new Set([...others, ...(hasCalls ? ['tool_calls'] : [])])],
  };
}

export function roleOf({ role }: RememberMessage): Role {
  return role === 'developer' ? 'system' : role;
}

/** The names of tools that were called, by the ids of the calls: their results say only the latter. */
export function calledTools(messages: readonly RememberMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { tool_calls: calls } of messages) {
    for (const call of Array.isArray(calls) ? (calls as unknown[]) : []) {
      const { id, name, function: called } = fieldsOf(call);
      const tool = fieldsOf(called)['name'] ?? name;
      if (typeof id === 'string' && typeof tool === 'string' && tool !== '') names.set(id, tool);
    }
  }
  return names;
}

/** Undefined for what is no text: pictures, files, calls of tools, and what a model thought and did not say. */
function textOf({ type, text, toolName, ...part }: Part): PartText | undefined {
  if (TEXTS.has(type)) return text === undefined ? undefined : { text };
  if (type === 'refusal') return typeof part['refusal'] === 'string' ? { text: part['refusal'] } : undefined;
  if (type !== 'tool-result') return undefined;
  const output = resultText(part['output'] ?? part['result']);
  return output === undefined ? undefined : { text: output, toolName };
}

function resultText(output: unknown): string | undefined {
  if (output === undefined || typeof output === 'string') return output;
  const { type, value } = fieldsOf(output);
  if (typeof type !== 'string') return JSON.stringify(output);
  if (Array.isArray(value) && type === 'content') {
    const texts = value.map(fieldsOf).flatMap(({ text }) => (typeof text === 'string' ? text : []));
    return texts.length === 0 ? undefined : texts.join('\n');
  }
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
