/** The turn in a prompt: what the user said last, what came after it, and where memory goes. */

import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { hasText } from '../domain/has-text.ts';
import { MAX_SEEN, MAX_SEEN_LENGTH } from '../domain/turn.ts';

type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>;

export interface Turn {
  /** Where the user's message stands in the prompt. */
  readonly at: number;
  /** Its text; empty if it has none, such as only a picture. */
  readonly text: string;
  /** What is logged: its text, else what was sent instead. */
  readonly said: string;
  /** How often the model has spoken since: 0 for its first step, more within a loop of tool calls. */
  readonly step: number;
  /** Whether anything was said before it. */
  readonly hasHistory: boolean;
}

/** Undefined if the user has said nothing. */
export function turnOf(prompt: LanguageModelV4Prompt): Turn | undefined {
  const at = prompt.findLastIndex(({ role }) => role === 'user');
  const message = prompt[at];
  if (message?.role !== 'user') return undefined;
  const text = textsOf(message).join('\n');
  const files = message.content.flatMap((part) => (part.type === 'file' ? [`[${part.mediaType}]`] : []));
  const isBlank = !hasText(text);
  const spoken = prompt.slice(at).filter(({ role }) => role === 'assistant').length;
  const step = isBegun(prompt.at(-1)) ? spoken - 1 : spoken;
  const hasHistory = prompt.slice(0, at).some(({ role }) => role !== 'system');
  return { at, text: isBlank ? '' : text, said: isBlank ? files.join(' ') : text, step, hasHistory };
}

/**
 * Whether the prompt ends with a prefilled answer that the model continues: not a step of a loop, which ends with tool
 * results.
 */
function isBegun(last: LanguageModelV4Message | undefined): boolean {
  return last?.role === 'assistant' && last.content.every(({ type }) => type === 'text' || type === 'reasoning');
}

/** What was said in the conversation besides the message, as far as memory takes it: the latest of it. */
export function saidIn(prompt: LanguageModelV4Prompt, { at }: Turn): string[] {
  const said = prompt.flatMap((message, index) => {
    const texts = index === at ? [] : textsOf(message);
    // It is written down as one text; a program may have put its parts together in another way.
    return texts.length > 1 ? [...texts, texts.join('\n')] : texts;
  });
  return said.filter(({ length }) => length > 0 && length <= MAX_SEEN_LENGTH).slice(-MAX_SEEN);
}

/** Only what was said; system prompts and tool results are not logged. */
function textsOf(message: LanguageModelV4Message): string[] {
  if (message.role !== 'user' && message.role !== 'assistant') return [];
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/**
 * The prompt with this text before what the user said. Memory goes there and not into the system prompt: it is data, not a
 * command, and everything before it can stay in the provider's cache.
 */
export function withText(prompt: LanguageModelV4Prompt, { at }: Turn, text: string): LanguageModelV4Prompt {
  return prompt.map((message, index) =>
    index === at && message.role === 'user' ? { ...message, content: contentWith(message, text) } : message,
  );
}

/** Joined to the first text, since some services accept only one. */
function contentWith({ content }: UserMessage, text: string): UserMessage['content'] {
  const [first, ...rest] = content;
  if (first?.type === 'text') return [{ ...first, text: text + first.text }, ...rest];
  return [{ type: 'text', text: text.trimEnd() }, ...content];
}

/** The conversation up to what the user said, as a text: equal for the steps of a turn and for its repetition. */
export function conversationKey(prompt: LanguageModelV4Prompt, { at }: Turn): string {
  // Without the system prompt, which often tells the time.
  const spoken = prompt.slice(0, at + 1).filter(({ role }) => role !== 'system');
  return JSON.stringify(spoken, (_, value: unknown) => (value instanceof Uint8Array ? value.byteLength : value));
}
