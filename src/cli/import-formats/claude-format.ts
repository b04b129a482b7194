/** The conversations of a Claude data export. */

import { branchTo } from './branch.ts';
import { conversationDrafts, type Conversation, type ConversationMessage } from './conversation-drafts.ts';
import type { ImportFormat, Telling } from './import-format.ts';
import { filesAt, recordsOf } from './json-values.ts';
import { recordsIn, textIn, timeIn, type SourceRecord } from './source-fields.ts';

const CONVERSATIONS = /^conversations.*\.json(\.gz)?$/i;

/** What the first message has for a parent. */
const ROOT = '00000000-0000-4000-8000-000000000000';

const NOT_SAID: Readonly<Record<string, string>> = {
  thinking: 'thoughts of models',
  redacted_thinking: 'thoughts of models',
  tool_use: 'tool calls',
  tool_result: 'results of tools',
  token_budget: 'notes on budgets',
  flag: 'flags',
};

export const claudeFormat: ImportFormat = {
  name: 'claude',
  title: 'Claude export',
  reads: 'conversations.json of the data export, or the folder that holds it',
  detect: ({ first }) => first !== undefined && Array.isArray(first['chat_messages']),
  async *drafts(path, telling) {
    const files = await filesAt(path, CONVERSATIONS);
    for await (const { value, where } of recordsOf(files, telling, ['conversations'])) {
      if (!Array.isArray(value['chat_messages'])) telling.problem(where, 'has no chat_messages');
      else yield* conversationDrafts(conversationOf(value, telling), where, telling);
    }
  },
};

function conversationOf(record: SourceRecord, telling: Telling): Conversation {
  const began = timeIn(record, 'created_at');
  if (textIn(record, 'summary') !== undefined) telling.leftOut('summaries of conversations');
  return {
    id: textIn(record, 'uuid') ?? `${began ?? ''} ${textIn(record, 'name') ?? ''}`,
    title: textIn(record, 'name'),
    messages: shownIn(record, telling).flatMap((message) => messageOf(message, began, telling)),
  };
}

/** Those on the branch of the current message, or of the last; all of them where they name no parents. */
function shownIn(record: SourceRecord, telling: Telling): SourceRecord[] {
  const all = recordsIn(record, 'chat_messages');
  const byId = new Map(all.flatMap((message) => idOf(message).map((id) => [id, message] as const)));
  const current = textIn(record, 'current_leaf_message_uuid');
  const leaf = current !== undefined && byId.has(current) ? current : textIn(all.at(-1) ?? {}, 'uuid');
  const branch = branchTo(leaf, byId, (message) => textIn(message, 'parent_message_uuid'));
  const beginning = branch[0] && textIn(branch[0], 'parent_message_uuid');
  const isWhole = beginning === ROOT || branch[0] === all[0] || (beginning === undefined && branch.length > 1);
  if (!isWhole || branch.length === all.length) return all;
  telling.leftOut('messages on other branches', all.length - branch.length);
  return branch;
}

function idOf(message: SourceRecord): string[] {
  const id = textIn(message, 'uuid');
  return id === undefined ? [] : [id];
}

function messageOf(message: SourceRecord, began: string | undefined, telling: Telling): ConversationMessage[] {
  const sender = textIn(message, 'sender');
  if (sender !== 'human' && sender !== 'assistant') {
    telling.leftOut(sender === 'system' ? 'system messages' : 'messages of nobody known');
    return [];
  }
  const files = filesOf(message, telling).map((name) => `[file: ${name}]`);
  const content = [...files, textOf(message, telling)].filter((part) => part !== '').join('\n');
  if (content === '') {
    telling.leftOut('empty messages');
    return [];
  }
  return [
    {
      id: textIn(message, 'uuid'),
      role: sender === 'human' ? 'user' : 'assistant',
      content,
      at: timeIn(message, 'created_at') ?? began,
      metadata: {},
    },
  ];
}

/** Each once: what is attached may also stand among the files. */
function filesOf(message: SourceRecord, telling: Telling): string[] {
  const attachments = recordsIn(message, 'attachments');
  const files = [...attachments, ...recordsIn(message, 'files'), ...recordsIn(message, 'files_v2')];
  const names = [...new Set(files.map((file) => textIn(file, 'file_name') ?? 'unnamed'))];
  if (names.length > 0) telling.leftOut('attached files', names.length);
  const texts = attachments.filter((file) => textIn(file, 'extracted_content') !== undefined).length;
  if (texts > 0) telling.leftOut('texts of attached files', texts);
  return names;
}

/** By its blocks; `text` also says in their place that they cannot be shown. */
function textOf(message: SourceRecord, telling: Telling): string {
  const blocks = recordsIn(message, 'content');
  if (blocks.length === 0) return (textIn(message, 'text') ?? '').trim();
  const texts = blocks.map((block) => {
    const type = textIn(block, 'type') ?? 'text';
    const reason = NOT_SAID[type];
    if (reason !== undefined) return telling.leftOut(reason) ?? '';
    const text = textIn(block, 'text');
    if (text !== undefined || type === 'text') return text ?? '';
    telling.leftOut(type === 'image' ? 'images' : 'parts of messages that are no text');
    return `[${type}]`;
  });
  return texts
    .filter((text) => text !== '')
    .join('\n')
    .trim();
}
