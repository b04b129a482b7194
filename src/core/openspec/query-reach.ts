/** The reach of a query of the protocol: layers and storage classes as partitions, filters as conditions. Pure. */

import { partitionKey, reachOf, type Partition, type Shelf } from '../../domain/access.ts';
import type { MetadataFilter } from '../../domain/filter.ts';
import { KINDS, type Kind } from '../../domain/kind.ts';
import type { KnowledgeFilters, KnowledgePlace } from '../../domain/openspec-query.ts';
import type { Principal } from '../../domain/principal.ts';
import { LAYERS, type Identifiers, type Layer } from '../../domain/scope.ts';
import type { Conditions, Reach } from '../../ports/entry-store.ts';
import { identifiersOf, scopesOf } from '../scoping.ts';
import { conditionsFor } from './access-policy.ts';
import { isLaminaSource, SOURCE_KEYS } from './knowledge-fields.ts';

export type PlaceType = NonNullable<KnowledgePlace['types']>[number];

/** What is in one of the types; no layer means every one that is open. */
interface Storage {
  readonly layer?: Layer;
  readonly kinds?: readonly Kind[];
  readonly shelf?: Shelf;
}

/** Null for state, which has keys and no text to look for. */
const CLASSES: Readonly<Record<string, Storage | null>> = {
  working: null,
  Session: null,
  episodic: { kinds: ['episodic'] },
  semantic: { kinds: ['semantic'] },
  procedural: { kinds: ['procedural'] },
  userPersonal: { layer: 'user' },
  organization: { layer: 'company' },
  archival: { shelf: 'archived' },
};

const STATE_WARNING = 'Working and Session hold values under keys, which cannot be searched.';

export interface QueryReach {
  readonly reach: Reach;
  /** Most specific first. */
  readonly layers: Layer[];
  readonly warnings: string[];
}

/** Throws `MISSING_IDENTIFIER` for a layer that was named and lacks one. */
export function queryReach(
  principal: Principal,
  { types, ...given }: KnowledgePlace = {},
  filters: KnowledgeFilters = {},
): QueryReach {
  const identifiers = { ...identifiersOf(principal, undefined), ...given };
  const storages = types === undefined ? [{}] : types.map(storageOf);
  const searched = storages.filter((storage) => storage !== null);
  const all = searched.flatMap((storage) => partitionsOf(principal, identifiers, storage));
  const { visibility, ...conditions } = conditionsOf(filters);
  const fitting = all.filter(
    ({ audience }) => visibility === undefined || (audience === '') === (visibility === 'shared'),
  );
  const partitions = [...new Map(fitting.map((partition) => [partitionKey(partition), partition])).values()];
  const layers = new Set(partitions.map(({ scope }) => scope.layer));
  return {
    reach: { partitions, filter: filterOf(filters), ...conditions },
    layers: LAYERS.filter((layer) => layers.has(layer)),
    warnings: searched.length < storages.length ? [STATE_WARNING] : [],
  };
}

/** A layer goes before a class of the same name: `session` is the layer, `Session` the class. */
function storageOf(type: PlaceType): Storage | null {
  const layer = LAYERS.find((each) => each === type);
  if (layer !== undefined) return { layer };
  const known = CLASSES[type] === undefined ? `${type.charAt(0).toLowerCase()}${type.slice(1)}` : type;
  return CLASSES[known] ?? null;
}

function partitionsOf(
  principal: Principal,
  identifiers: Identifiers,
  { layer, kinds = KINDS, shelf = 'active' }: Storage,
): Partition[] {
  const scopes = scopesOf(identifiers, layer === undefined ? undefined : [layer]);
  return reachOf(principal, scopes, kinds, shelf);
}

function conditionsOf({
  accessPolicy,
  createdAfter,
  createdBefore,
}: KnowledgeFilters): Conditions & { visibility?: 'private' | 'shared' } {
  // Milliseconds are as fine as it gets, and after and before do not include the moment itself.
  const created = {
    ...(createdAfter !== undefined && { from: Date.parse(createdAfter) + 1 }),
    ...(createdBefore !== undefined && { to: Date.parse(createdBefore) - 1 }),
  };
  return {
    ...(accessPolicy !== undefined && conditionsFor(accessPolicy)),
    ...(Object.keys(created).length > 0 && { created }),
  };
}

function filterOf({ tags, author, sourceType, customFilters }: KnowledgeFilters): MetadataFilter {
  const isForeign = sourceType !== undefined && !isLaminaSource(sourceType);
  return {
    ...(tags !== undefined && { tags }),
    ...(sourceType !== undefined && { sourceType: isForeign ? 'import' : sourceType }),
    custom: {
      ...customFilters,
      ...(author !== undefined && { author }),
      ...(isForeign && { [SOURCE_KEYS.type]: sourceType }),
    },
  };
}
