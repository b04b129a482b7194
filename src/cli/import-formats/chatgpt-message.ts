/** A message of ChatGPT as text: what was said and shown; what was not is told. Pure. */

import type { Role } from '../../domain/kind.ts';
import type { Telling } from './import-format.ts';
import { isRecord, listIn, recordIn, recordsIn, textIn, type SourceRecord } from './source-fields.ts';

interface Said {
  readonly role: Role;
  readonly content: string;
}

/** Where an answer refers to what was found, in characters that no font has. */
const CITATION = /\uE200[^\uE201]*\uE201/g;

/** Types of content that nobody was shown as a message. */
const NOT_SAID: Readonly<Record<string, string>> = {
  thoughts: 'thoughts of models',
  reasoning_recap: 'thoughts of models',
  user_editable_context: 'custom instructions',
  model_editable_context: 'memories that ChatGPT was given',
  execution_output: 'results of tools',
  tether_browsing_display: 'results of tools',
  tether_browsing_code: 'tool calls',
  tether_quote: 'results of tools',
  sonic_webpage: 'results of tools',
  system_error: 'errors',
  computer_output: 'results of tools',
};

/** Undefined for what is not a part of the conversation. */
export function saidIn(message: SourceRecord, telling: Telling): Said | undefined {
  const role = textIn(recordIn(message, 'author'), 'role');
  const content = recordIn(message, 'content');
  const type = textIn(content, 'content_type') ?? 'text';
  const text = textOf(content, type, telling).replace(CITATION, '').trim();
  const isEmpty = text === '' && NOT_SAID[type] === undefined;
  // Every conversation begins with some, which say nothing.
  if (role === 'system') return isEmpty ? undefined : telling.leftOut('system messages');
  const reason = reasonToLeave(message, role, type);
  if (reason !== undefined) return telling.leftOut(reason);
  const files = recordsIn(recordIn(message, 'metadata'), 'attachments').map(
    (file) => textIn(file, 'name') ?? 'unnamed',
  );
  if (files.length > 0) telling.leftOut('attached files', files.length);
  const whole = [...files.map((name) => `[file: ${name}]`), text].filter((part) => part !== '').join('\n');
  if (whole === '') return telling.leftOut('empty messages');
  return { role: role === 'assistant' ? 'assistant' : 'user', content: whole };
}

function reasonToLeave(message: SourceRecord, role: string | undefined, type: string): string | undefined {
  if (NOT_SAID[type] !== undefined) return NOT_SAID[type];
  if (role === 'tool') return 'results of tools';
  if (role !== 'user' && role !== 'assistant') return 'messages of nobody known';
  if (recordIn(message, 'metadata')['is_visually_hidden_from_conversation'] === true) return 'hidden messages';
  const recipient = textIn(message, 'recipient') ?? 'all';
  return role === 'assistant' && recipient !== 'all' ? 'tool calls' : undefined;
}

function textOf(content: SourceRecord, type: string, telling: Telling): string {
  if (NOT_SAID[type] !== undefined) return '';
  const parts = listIn(content, 'parts').map((part) => partText(part, telling));
  return parts.length > 0 ? parts.filter((part) => part !== '').join('\n') : (textIn(content, 'text', 'result') ?? '');
}

/** What is no text is named where it stood. */
function partText(part: unknown, telling: Telling): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return '';
  const type = textIn(part, 'content_type') ?? '';
  const text = textIn(part, 'text');
  if (text !== undefined) return text;
  const kind = type.includes('image') ? 'image' : /audio|video/.test(type) ? 'audio' : 'part';
  telling.leftOut({ image: 'images', audio: 'recordings', part: 'parts of messages that are no text' }[kind]);
  return `[${kind === 'part' ? type || 'part' : kind}]`;
}
