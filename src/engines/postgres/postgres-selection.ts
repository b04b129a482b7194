/** Selections and filters as SQL conditions on `lamina.entries e`. Values are always bound, never spelled out. */

import type { MetadataFilter } from '../../domain/filter.ts';
import type { Conditions, Selection } from '../../ports/entry-store.ts';
import { SINCE } from './postgres-entry-row.ts';
import type { Parameters } from './postgres-statement.ts';

/** Everything but the partitions, which each query names in its own way: `''` or ` AND … AND …`. */
export function conditionsOf(selection: Omit<Selection, 'partitions'>, parameters: Parameters): string {
  const { filter = {}, ids, createdBefore } = selection;
  const conditions = [...filterConditions(filter, parameters), ...fieldConditions(selection, parameters)];
  if (ids) conditions.push(`e.id = ANY (${parameters.bind(ids, 'uuid[]')})`);
  if (createdBefore !== undefined) conditions.push(`e.created_at < ${parameters.bind(createdBefore, 'bigint')}`);
  return conditions.map((condition) => ` AND ${condition}`).join('');
}

function filterConditions(filter: MetadataFilter, parameters: Parameters): string[] {
  const conditions: string[] = [];
  if (filter.tags) conditions.push(`e.tags ?| ${parameters.bind(filter.tags, 'text[]')}`);
  if (filter.sourceType) conditions.push(`e.source_type = ${parameters.bind(filter.sourceType, 'text')}`);
  if (filter.hasKnowledgePointer !== undefined)
    conditions.push(presence('knowledge_pointer', filter.hasKnowledgePointer));
  for (const [key, value] of Object.entries(filter.custom ?? {})) {
    if (value === undefined) continue;
    // Equal in type and value: numbers however they are spelled, objects in whatever order.
    const [field, json] = [parameters.bind(key, 'text'), parameters.bind(JSON.stringify(value), 'jsonb')];
    conditions.push(`(e.metadata -> ${field}) = ${json}`);
  }
  return conditions;
}

function fieldConditions(selection: Conditions, parameters: Parameters): string[] {
  const { identifiers = {}, ownerId, hasExternalId, role, procedureType, since = {}, asOf } = selection;
  const { created = {}, sensitivities, trusts, hasOwner } = selection;
  const conditions: string[] = [];
  for (const [name, value] of Object.entries(identifiers)) {
    if (value === undefined) continue;
    conditions.push(`(e.identifiers ->> ${parameters.bind(name, 'text')}) = ${parameters.bind(value, 'text')}`);
  }
  if (ownerId === null) conditions.push('e.owner_id IS NULL');
  else if (ownerId !== undefined) conditions.push(`e.owner_id = ${parameters.bind(ownerId, 'text')}`);
  if (hasExternalId !== undefined) conditions.push(presence('external_id', hasExternalId));
  if (role !== undefined) conditions.push(`e.role = ${parameters.bind(role, 'text')}`);
  if (procedureType !== undefined) conditions.push(`e.procedure_type = ${parameters.bind(procedureType, 'text')}`);
  if (since.from !== undefined) conditions.push(`${SINCE} >= ${parameters.bind(since.from, 'bigint')}`);
  if (since.to !== undefined) conditions.push(`${SINCE} <= ${parameters.bind(since.to, 'bigint')}`);
  if (created.from !== undefined) conditions.push(`e.created_at >= ${parameters.bind(created.from, 'bigint')}`);
  if (created.to !== undefined) conditions.push(`e.created_at <= ${parameters.bind(created.to, 'bigint')}`);
  if (sensitivities) conditions.push(`e.sensitivity = ANY (${parameters.bind(sensitivities, 'text[]')})`);
  if (trusts) conditions.push(`e.trust = ANY (${parameters.bind(trusts, 'text[]')})`);
  if (hasOwner !== undefined) conditions.push(presence('owner_id', hasOwner));
  if (asOf !== undefined) conditions.push(stoodAt(parameters.bind(asOf, 'bigint')));
  return conditions;
}

function stoodAt(at: string): string {
  return `e.updated_at <= ${at} AND coalesce(e.valid_from, ${at}) <= ${at} AND (e.valid_to IS NULL OR e.valid_to > ${at})`;
}

function presence(column: string, isThere: boolean): string {
  return `e.${column} IS ${isThere ? 'NOT ' : ''}NULL`;
}
