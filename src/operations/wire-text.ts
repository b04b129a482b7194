/**
 * Writes a value as JSON text with its fields renamed, in one pass: a renamed copy would take as long as the writing
 * itself.
 */

import { originalOf } from '../domain/entry-copy.ts';

/** What can be renamed inside a value. */
export interface TextShape {
  readonly fields: ReadonlyMap<string, TextField>;
  readonly items: TextShape | undefined;
  readonly values: TextShape | undefined;
}

export interface TextField {
  /** The name as it goes over the wire, quoted, with a colon. */
  readonly label: string;
  readonly shape: TextShape | undefined;
}

/** The same as `JSON.stringify` of the renamed copy. Undefined for what JSON cannot represent. */
export function textOf(shape: TextShape | undefined, value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (shape === undefined) return JSON.stringify(value);
      return Array.isArray(value) ? listText(shape.items, value) : objectText(shape, value as Record<string, unknown>);
    default:
      return JSON.stringify(value);
  }
}

function listText(items: TextShape | undefined, values: readonly unknown[]): string {
  if (items === undefined) return JSON.stringify(values);
  let text = '';
  for (let at = 0; at < values.length; at += 1) {
    text += (at === 0 ? '[' : ',') + (textOf(items, values[at]) ?? 'null');
  }
  return text === '' ? '[]' : `${text}]`;
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** What was written of entries that are held in memory, as long as they are. */
const written = new WeakMap<object, Map<TextShape, string>>();

/** Copies of the same are written once. */
function objectText(shape: TextShape, value: Readonly<Record<string, unknown>>): string {
  const original = originalOf(value);
  if (original === undefined) return fieldsText(shape, value);
  let texts = written.get(original);
  if (texts === undefined) written.set(original, (texts = new Map()));
  let text = texts.get(shape);
  if (text === undefined) {
    // In one piece: the many that it was made of would else be gathered again for each answer that it becomes a part of.
    text = decoder.decode(encoder.encode(fieldsText(shape, value)));
    texts.set(shape, text);
  }
  return text;
}

function fieldsText({ fields, values }: TextShape, value: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const key in value) {
    const field = fields.get(key);
    const content = textOf(field === undefined ? values : field.shape, value[key]);
    if (content === undefined) continue;
    text += (text === '' ? '{' : ',') + (field === undefined ? `${quoted(key)}:` : field.label) + content;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Up to this length, checking each character is faster than a regular expression. */
const SHORT = 64;
/** Control characters and lone surrogates. */
const TO_ESCAPE = /["\\\p{Cc}\p{Cs}]/u;

function quoted(text: string): string {
  if (text.length > SHORT) return TO_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isEscaped = code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code < 0xe000);
    if (isEscaped) return JSON.stringify(text);
  }
  return `"${text}"`;
}
