/** What was said, as it would be stored: without memory that was recalled for it. */

import { invalidField, LaminaError } from '../../domain/error.ts';
import type { RememberMessage, SKIPS } from '../../domain/extraction.ts';
import { assertWithin, type Limits } from '../../domain/limits.ts';
import { assertContent, contentHash } from '../remember/content.ts';
import { isOfMemoryTool, withoutRecalled } from './recalled-block.ts';

export interface Said extends RememberMessage {
  readonly contentHash: string;
  /** How many before it have the same role and say the same. */
  readonly repetition: number;
  /** Why it is not to be stored, whatever is there. */
  readonly skip?: (typeof SKIPS)[number] | undefined;
}

/**
 * Throws `LIMIT_EXCEEDED` for too many messages, `CONTENT_TOO_LONG` for one that is too long, `VALIDATION_FAILED` where two
 * have the same id; it says which.
 */
export function saidIn(messages: readonly RememberMessage[], limits: Limits): Said[] {
  assertWithin('LIMIT_EXCEEDED', 'The conversation', messages.length, limits.batchSize, 'messages');
  const ids = new Set<string>();
  const times = new Map<string, number>();
  return messages.map((message, index) => {
    if (message.id !== undefined && ids.has(message.id)) {
      throw invalidField(`messages.${index}.id`, 'the same as of a message before; each has its own');
    }
    if (message.id !== undefined) ids.add(message.id);
    const said = saidOf(message, index, limits);
    const key = `${said.role} ${said.contentHash}`;
    const repetition = times.get(key) ?? 0;
    times.set(key, repetition + 1);
    return { ...said, repetition };
  });
}

function saidOf(message: RememberMessage, index: number, limits: Limits): Omit<Said, 'repetition'> {
  const content = withoutRecalled(message);
  const said = { ...message, content, contentHash: contentHash(content) };
  if (message.content.trim() === '') return { ...said, skip: 'empty' };
  if (content.trim() === '' || isOfMemoryTool(message)) return { ...said, skip: 'recalled' };
  try {
    assertContent(content, limits);
  } catch (error) {
    if (!(error instanceof LaminaError)) throw error;
    const details = { ...error.details, index };
    throw new LaminaError(error.code, `messages.${index}: ${error.message}`, { details, cause: error });
  }
  return said;
}
