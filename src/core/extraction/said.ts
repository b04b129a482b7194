/** What was said, as it would be stored: without memory that was recalled for it, and no longer than a memory may be. */

import { invalidField } from '../../domain/error.ts';
import type { RememberMessage, SKIPS } from '../../domain/extraction.ts';
import { hasText } from '../../domain/has-text.ts';
import type { Role } from '../../domain/kind.ts';
import { assertWithin, type Limits } from '../../domain/limits.ts';
import { contentHash } from '../remember/content.ts';
import { calledTools, messageText, roleOf } from './message-text.ts';
import { isOfMemoryTool, withoutRecalled } from './recalled-block.ts';

export interface Said extends Pick<RememberMessage, 'id' | 'occurredAt' | 'name'> {
  readonly role: Role;
  readonly content: string;
  readonly contentHash: string;
  /** How many before it have the same role and say the same. */
  readonly repetition: number;
  /** The call of a tool that it is the result of. */
  readonly toolCallId: string | undefined;
  /** Why it is not to be stored, whatever is there. */
  readonly skip?: (typeof SKIPS)[number] | undefined;
  /** What the message has besides texts. */
  readonly leftOut: readonly string[];
  /** How many characters at its end are not to be stored. */
  readonly cut: number;
}

/** Throws `LIMIT_EXCEEDED` for too many messages, `VALIDATION_FAILED` where two have the same id; it says which. */
export function saidIn(messages: readonly RememberMessage[], limits: Limits): Said[] {
  assertWithin('LIMIT_EXCEEDED', 'The conversation', messages.length, limits.batchSize, 'messages');
  const ids = new Set<string>();
  const times = new Map<string, number>();
  const tools = calledTools(messages);
  return messages.map((message, index) => {
    if (message.id !== undefined && ids.has(message.id)) {
      throw invalidField(`messages.${index}.id`, 'the same as of a message before; each has its own');
    }
    if (message.id !== undefined) ids.add(message.id);
    const said = saidOf(message, tools, limits);
    const key = `${said.role} ${said.contentHash}`;
    const repetition = times.get(key) ?? 0;
    times.set(key, repetition + 1);
    return { ...said, repetition };
  });
}

function saidOf(
  message: RememberMessage,
  tools: ReadonlyMap<string, string>,
  { contentLength }: Limits,
): Omit<Said, 'repetition'> {
  const role = roleOf(message);
  const toolCallId = message.tool_call_id ?? undefined;
  const name = message.name ?? (role === 'tool' && toolCallId !== undefined ? tools.get(toolCallId) : undefined);
  const { texts, leftOut } = messageText(message);
  const own = texts.filter((part) => !isOfMemoryTool({ role: 'tool', name: part.toolName }));
  const joined = own.map(({ text }) => text).join('\n');
  const { content, cut } = within(withoutRecalled({ role, content: joined }), contentLength);
  const isEmpty = !texts.some(({ text }) => hasText(text));
  const isRecalled = !hasText(content) || isOfMemoryTool({ role, name });
  return {
    role,
    content,
    contentHash: contentHash(content),
    ...(message.id !== undefined && { id: message.id }),
    ...(message.occurredAt !== undefined && { occurredAt: message.occurredAt }),
    ...(name !== undefined && { name }),
    toolCallId,
    leftOut,
    cut,
    ...((isEmpty || isRecalled) && { skip: isEmpty ? ('empty' as const) : ('recalled' as const) }),
  };
}

/** A character is a code point. */
function within(text: string, limit: number): { readonly content: string; readonly cut: number } {
  if (text.length <= limit) return { content: text, cut: 0 };
  const characters = [...text];
  return { content: characters.slice(0, limit).join(''), cut: Math.max(0, characters.length - limit) };
}
