/** The content of an entry: what may be stored, and when two contents are the same. */

import { hash } from 'node:crypto';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { hasText } from '../../domain/has-text.ts';
import { assertCharacters, type Limits } from '../../domain/limits.ts';
import { PERSONAL_LAYERS } from '../../domain/scope.ts';
import { lexemesOf, nameLexemes, speakerLexeme } from '../text/lexemes.ts';
import { toldByOneself } from '../text/own-person.ts';

/** Throws `VALIDATION_FAILED` when there is no text, `CONTENT_TOO_LONG` when there is too much. */
export function assertContent(content: string, limits: Limits): void {
  if (!hasText(content)) {
    throw new LaminaError('VALIDATION_FAILED', 'The content is empty; there is nothing to remember.', {
      details: { problems: [{ path: 'content', message: 'empty' }] },
    });
  }
  assertCharacters('CONTENT_TOO_LONG', 'The content', content, limits.contentLength);
}

/** Printable ASCII with single spaces between words: then there is nothing to normalise. */
const NORMAL = /^[!-~]+(?: [!-~]+)*$/;

/** Contents that differ only in white space or Unicode composition are the same. */
function normalise(content: string): string {
  return NORMAL.test(content) ? content : content.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

export function contentHash(content: string): string {
  return hash('sha256', normalise(content), 'hex');
}

/**
 * What the vector of an entry is made from: a procedure is found by when it applies, everything else by what it says. What a
 * person's own memory knows of them reads as if they said it.
 */
export function embeddedText(
  entry: Pick<Entry, 'kind' | 'layer' | 'ownerId' | 'content' | 'triggerCondition'>,
): string {
  const { kind, layer, ownerId, content, triggerCondition } = entry;
  if (kind === 'procedural') return triggerCondition ?? content;
  const isOwn = kind === 'semantic' && PERSONAL_LAYERS.has(layer) && ownerId !== null;
  return isOwn ? toldByOneself(content, ownerId) : content;
}

/** What the text index covers. */
export function indexedText(entry: Pick<Entry, 'content' | 'triggerCondition'>): string {
  return entry.triggerCondition === undefined ? entry.content : `${entry.triggerCondition}\n${entry.content}`;
}

/** What the text index holds: the words of the text and, marked as such, the name of who said it. */
export function indexedLexemes(entry: Pick<Entry, 'content' | 'triggerCondition' | 'speaker'>): string[] {
  const words = lexemesOf(indexedText(entry));
  return entry.speaker === undefined ? words : [...words, ...nameLexemes(entry.speaker).map(speakerLexeme)];
}
