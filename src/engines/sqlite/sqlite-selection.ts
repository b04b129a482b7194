/** Selections and filters as SQL conditions on `entries e`. Values are always bound, never spelled out. */

import type { MetadataFilter } from '../../domain/filter.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Conditions, Selection } from '../../ports/entry-store.ts';
import { SINCE } from './sqlite-entry-row.ts';

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

const ANY_TAG = 'EXISTS (SELECT 1 FROM json_each(e.tags) WHERE value IN (SELECT value FROM json_each(?)))';

const STOOD = `e.updated_at <= ? AND (e.valid_from IS NULL OR e.valid_from <= ?) AND (e.valid_to IS NULL OR e.valid_to > ?)`;

/** How a JSON value is recognised in what `json_each` gives for a field. Metadata is stored in canonical form. */
function fieldEquals(key: string, value: unknown): Condition {
  const field = (test: string, values: (string | number)[]): Condition => ({
    sql: `EXISTS (SELECT 1 FROM json_each(e.metadata) WHERE key = ? AND ${test})`,
    values: [key, ...values],
  });
  if (value === null) return field("type = 'null'", []);
  switch (typeof value) {
    case 'string':
      return field("type = 'text' AND value = ?", [value]);
    case 'number':
      return field("type IN ('integer', 'real') AND value = ?", [value]);
    case 'boolean':
      return field(`type = '${value ? 'true' : 'false'}'`, []);
    default:
      return field("type IN ('object', 'array') AND value = ?", [canonicalJson(value)]);
  }
}

function filterConditions(filter: MetadataFilter): Condition[] {
  const conditions: Condition[] = [];
  if (filter.tags) conditions.push({ sql: ANY_TAG, values: [JSON.stringify(filter.tags)] });
  if (filter.sourceType) conditions.push({ sql: 'e.source_type = ?', values: [filter.sourceType] });
  if (filter.hasKnowledgePointer !== undefined) {
    conditions.push({ sql: `e.knowledge_pointer IS ${filter.hasKnowledgePointer ? 'NOT ' : ''}NULL`, values: [] });
  }
  for (const [key, value] of Object.entries(filter.custom ?? {})) {
    if (value !== undefined) conditions.push(fieldEquals(key, value));
  }
  return conditions;
}

function fieldConditions(selection: Conditions): Condition[] {
  const { identifiers = {}, ownerId, hasExternalId, role, procedureType, since = {}, asOf } = selection;
  const { created = {}, sensitivities, trusts, hasOwner } = selection;
  const conditions: Condition[] = [];
  const where = (sql: string, ...values: (string | number)[]): unknown => conditions.push({ sql, values });
  for (const [name, value] of Object.entries(identifiers)) {
    if (value !== undefined) where('json_extract(e.identifiers, ?) = ?', `$.${name}`, value);
  }
  if (ownerId !== undefined) where('e.owner_id = ?', ownerId ?? '');
  if (hasExternalId !== undefined) where(`e.external_id IS ${hasExternalId ? 'NOT ' : ''}NULL`);
  if (role !== undefined) where('e.role = ?', role);
  if (procedureType !== undefined) where('e.procedure_type = ?', procedureType);
  if (since.from !== undefined) where(`${SINCE} >= ?`, since.from);
  if (since.to !== undefined) where(`${SINCE} <= ?`, since.to);
  if (created.from !== undefined) where('e.created_at >= ?', created.from);
  if (created.to !== undefined) where('e.created_at <= ?', created.to);
  if (sensitivities) where('e.sensitivity IN (SELECT value FROM json_each(?))', JSON.stringify(sensitivities));
  if (trusts) where('e.trust IN (SELECT value FROM json_each(?))', JSON.stringify(trusts));
  if (hasOwner !== undefined) where(`e.owner_id ${hasOwner ? '<>' : '='} ''`);
  if (asOf !== undefined) where(STOOD, asOf, asOf, asOf);
  return conditions;
}

/** Everything but the partitions, which each query names in its own way. */
export function conditionOf(selection: Omit<Selection, 'partitions'>): Condition {
  const conditions = [...filterConditions(selection.filter ?? {}), ...fieldConditions(selection)];
  const { ids, createdBefore } = selection;
  if (ids) conditions.push({ sql: 'e.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(ids)] });
  if (createdBefore !== undefined) conditions.push({ sql: 'e.created_at < ?', values: [createdBefore] });
  return {
    sql: conditions.map(({ sql }) => ` AND ${sql}`).join(''),
    values: conditions.flatMap(({ values }) => values),
  };
}
