/** Memories of mem0: what `get_all` and an export give, of the platform and of the open source. */

import type { ImportDraft, ImportFormat, Telling } from './import-format.ts';
import { filesAt, recordsOf, type Found } from './json-values.ts';
import { listIn, recordIn, recordsIn, restOf, textIn, timeIn, type SourceRecord } from './source-fields.ts';

const CONTENT = ['memory', 'text', 'data'] as const;

/** What has a place of its own, and what mem0 made of the text itself. */
const KNOWN: ReadonlySet<string> = new Set([
  ...CONTENT,
  'id',
  'user_id',
  'agent_id',
  'run_id',
  'metadata',
  'categories',
  'created_at',
  'expiration_date',
  'score',
  'hash',
  'embedding',
  'vector',
  'input',
  'name',
]);

export const mem0Format: ImportFormat = {
  name: 'mem0',
  title: 'mem0',
  reads: 'the JSON of get_all or of an export: a list of memories, or {"results": […]}',
  detect: ({ first }) =>
    first !== undefined &&
    (isMemory(first) || ['results', 'memories'].some((key) => recordsIn(first, key).some(isMemory))),
  async *drafts(path, telling) {
    const files = await filesAt(path, /\.jsonl?(\.gz)?$/i);
    for await (const found of recordsOf(files, telling, ['results', 'memories'])) {
      const draft = draftOf(found, telling);
      if (draft) yield draft;
    }
  },
};

function isMemory(record: SourceRecord): boolean {
  return textIn(record, 'memory') !== undefined && !('role' in record && 'content' in record);
}

function draftOf({ value, where }: Found<SourceRecord>, telling: Telling): ImportDraft | undefined {
  const content = textIn(value, ...CONTENT);
  const id = textIn(value, 'id');
  if (id === undefined) return telling.problem(where, 'has no id');
  if (content === undefined) return telling.leftOut('memories without text');
  const expiresAt = timeIn(value, 'expiration_date');
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) {
    return telling.leftOut('memories that have expired');
  }
  if (listIn(value, 'input').length > 0) telling.leftOut('messages that memories were made from');
  const metadata = recordIn(value, 'metadata');
  const rest = restOf(value, KNOWN);
  const [userId, agentId] = [textIn(value, 'user_id'), textIn(value, 'agent_id')];
  return {
    id,
    where,
    kind: 'semantic',
    content,
    metadata: { ...metadata, ...(Object.keys(rest).length > 0 && { mem0: rest }) },
    tags: [...listIn(value, 'categories'), ...listIn(metadata, 'tags')].filter((tag) => typeof tag === 'string'),
    validFrom: timeIn(value, 'created_at'),
    expiresAt,
    userId,
    agentId,
    sessionId: textIn(value, 'run_id'),
    isAgents: userId === undefined && agentId !== undefined,
  };
}
