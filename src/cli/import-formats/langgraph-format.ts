/** Items of a LangGraph store: as the store gives them, and as rows of its table `store`. */

import { itemWriting } from '../../compose/langgraph-items.ts';
import { LaminaError } from '../../domain/error.ts';
import type { ImportDraft, ImportFormat, Telling } from './import-format.ts';
import { filesAt, recordsOf, type Found } from './json-values.ts';
import { isRecord, textIn, timeIn, type SourceRecord } from './source-fields.ts';

/** One for each label and one for the whole; with that of the import an entry has at most 100. */
const MAX_TAGS = 99;

export const langgraphFormat: ImportFormat = {
  name: 'langgraph',
  title: 'LangGraph store',
  reads: 'items as JSON: namespace, key and value, or the rows of the table store of PostgresStore',
  detect: ({ first }) =>
    first !== undefined && (isItem(first) || (Array.isArray(first['items']) && isItem(first['items'][0]))),
  async *drafts(path, telling) {
    const files = await filesAt(path, /\.jsonl?(\.gz)?$/i);
    for await (const found of recordsOf(files, telling, ['items'])) {
      const draft = draftOf(found, telling);
      if (draft) yield draft;
    }
  },
};

function isItem(value: unknown): boolean {
  return isRecord(value) && 'key' in value && 'value' in value && namespaceOf(value) !== undefined;
}

/** A list; or joined by full stops (Python’s table) or colons (JavaScript’s). */
function namespaceOf(record: SourceRecord): string[] | undefined {
  const { namespace } = record;
  if (Array.isArray(namespace)) return namespace.map(String);
  const [prefix, path] = [textIn(record, 'prefix', 'namespace'), textIn(record, 'namespace_path')];
  return prefix?.split('.') ?? path?.split(':');
}

function draftOf({ value: record, where }: Found<SourceRecord>, telling: Telling): ImportDraft | undefined {
  const problem = (what: string): undefined => telling.problem(where, what);
  const namespace = namespaceOf(record);
  const key = textIn(record, 'key');
  const value = typeof record['value'] === 'string' ? parsed(record['value']) : record['value'];
  if (namespace === undefined || namespace.length === 0 || namespace.includes('')) return problem('has no namespace');
  if (key === undefined) return problem('has no key');
  if (!isRecord(value)) return problem('its value is not a JSON object');
  const expiresAt = timeIn(record, 'expires_at', 'expiresAt');
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()) {
    return telling.leftOut('items that have expired');
  }
  try {
    const { content, externalId, metadata = {}, tags = [] } = itemWriting({ namespace, key, value });
    if (tags.length > MAX_TAGS) return problem(`its namespace has ${namespace.length} labels, which is too many`);
    const [validFrom, updated] = [timeIn(record, 'created_at', 'createdAt'), timeIn(record, 'updated_at', 'updatedAt')];
    const id = JSON.stringify([...namespace, key]);
    const whole = { ...metadata, ...(updated !== undefined && { updated_at: updated }) };
    return { id, where, kind: 'semantic', content, metadata: whole, tags, externalId, validFrom, expiresAt };
  } catch (error) {
    if (error instanceof LaminaError) return problem(error.message.replace(/\.$/, ''));
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
