/** Which entries of a layer are meant, from the flags of a command. */

import { KINDS, SOURCE_TYPES, type Kind } from '../domain/kind.ts';
import type { MetadataFilter } from '../domain/filter.ts';
import type { Flag, Given } from './command.ts';
import { objectFrom } from './flag-values.ts';

const WHICH = 'Which of them';

export const FILTER_FLAGS: readonly Flag[] = [
  { name: 'tag', value: 'TAG', group: WHICH, repeatable: true, description: 'With this tag, or any of them' },
  { name: 'source', value: 'TYPE', group: WHICH, choices: SOURCE_TYPES, description: 'From such a source' },
  {
    name: 'metadata',
    value: 'JSON',
    group: WHICH,
    description: `With these fields of metadata, such as '{"topic":"drinks"}'`,
  },
];

export const KIND_FLAG: Flag = {
  name: 'kind',
  value: 'KIND',
  group: WHICH,
  choices: KINDS,
  repeatable: true,
  description: 'Of this kind',
  fallback: 'every kind',
};

export const AS_OF_FLAG: Flag = {
  name: 'as-of',
  value: 'TIME',
  description: 'As memory stood then, and only what held then; 2d is two days ago',
};

/** Undefined where the flag is not given: every kind. */
export function kindsFrom(given: Given): Kind[] | undefined {
  const kinds = KINDS.filter((kind) => given.values('kind').includes(kind));
  return kinds.length === 0 ? undefined : kinds;
}

/** Undefined where the flags say nothing. */
export function filterFrom(given: Given): MetadataFilter | undefined {
  const tags = given.values('tag');
  const sourceType = SOURCE_TYPES.find((each) => each === given.value('source'));
  const custom = objectFrom(given, 'metadata', '{"topic":"drinks"}');
  const filter = {
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(sourceType !== undefined && { sourceType }),
    ...(custom !== undefined && { custom }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}
