/** The conversations of a ChatGPT data export. */

import { branchTo } from './branch.ts';
import { saidIn } from './chatgpt-message.ts';
import { conversationDrafts, type Conversation, type ConversationMessage } from './conversation-drafts.ts';
import type { ImportFormat, Telling } from './import-format.ts';
import { filesAt, recordsOf } from './json-values.ts';
import { isRecord, listIn, recordIn, textIn, timeIn, type SourceRecord } from './source-fields.ts';

const CONVERSATIONS = /^conversations.*\.json(\.gz)?$/i;

export const chatgptFormat: ImportFormat = {
  name: 'chatgpt',
  title: 'ChatGPT export',
  reads: 'conversations.json of the data export, or the folder that holds it',
  detect: ({ first }) => first !== undefined && isRecord(first['mapping']),
  async *drafts(path, telling) {
    for await (const { value, where } of recordsOf(await filesAt(path, CONVERSATIONS), telling)) {
      if (!isRecord(value['mapping'])) telling.problem(where, 'has no mapping, in which the messages are');
      else yield* conversationDrafts(conversationOf(value, telling), where, telling);
    }
  },
};

function conversationOf(record: SourceRecord, telling: Telling): Conversation {
  const mapping = Object.entries(recordIn(record, 'mapping'));
  const nodes = new Map(mapping.flatMap(([id, node]) => (isRecord(node) ? [[id, node] as const] : [])));
  const branch = branchTo(leafOf(record, nodes), nodes, (node) => textIn(node, 'parent'));
  const shown = new Set(branch);
  const others = [...nodes.values()].filter((node) => !shown.has(node) && isTold(node)).length;
  if (others > 0) telling.leftOut('messages on other branches', others);
  const began = timeIn(record, 'create_time');
  return {
    id: textIn(record, 'conversation_id', 'id') ?? `${began ?? ''} ${textIn(record, 'title') ?? ''}`,
    title: textIn(record, 'title'),
    messages: branch.flatMap((node) => messageOf(node, began, telling)),
  };
}

/** The current one; else the last that there is. */
function leafOf(record: SourceRecord, nodes: ReadonlyMap<string, SourceRecord>): string | undefined {
  const current = textIn(record, 'current_node');
  if (current !== undefined && nodes.has(current)) return current;
  return [...nodes].findLast(([, node]) => listIn(node, 'children').length === 0)?.[0];
}

/** Of those on other branches only what was said is counted. */
function isTold(node: SourceRecord): boolean {
  const message = recordIn(node, 'message');
  return ['user', 'assistant'].includes(textIn(recordIn(message, 'author'), 'role') ?? '');
}

function messageOf(node: SourceRecord, began: string | undefined, telling: Telling): ConversationMessage[] {
  const message = recordIn(node, 'message');
  const said = Object.keys(message).length === 0 ? undefined : saidIn(message, telling);
  if (said === undefined) return [];
  const model = textIn(recordIn(message, 'metadata'), 'model_slug');
  return [
    {
      ...said,
      id: textIn(message, 'id') ?? textIn(node, 'id'),
      at: timeIn(message, 'create_time') ?? began,
      metadata: model === undefined ? {} : { model },
    },
  ];
}
