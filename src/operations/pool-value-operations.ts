/** What is in pools: read, write and merge by dotted key, and follow what changes. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  appendPoolInputSchema,
  followPoolInputSchema,
  incrementPoolInputSchema,
  listPoolValuesInputSchema,
  listPoolValuesOutputSchema,
  mergePoolInputSchema,
  poolKeyInputSchema,
  poolValueSchema,
  removePoolValueInputSchema,
  writePoolInputSchema,
  type PoolValue,
} from '../domain/pool-value.ts';
import { poolChangeSchema } from '../domain/pool.ts';
import { operation, stream } from './operation.ts';

const GROUP = 'Pools';
const POOL_PATH = '/v1/memory/pools/{poolId}';
const DATA_PATH = `${POOL_PATH}/data`;
const KEY_PATH = `${DATA_PATH}/{key}`;

const ID = { poolId: 'launch-team' };
const KEY = { ...ID, key: 'venue.address' };
const TIMES = { createdAt: '2026-11-15T09:30:00.000Z', updatedAt: '2026-11-15T09:30:00.000Z' };
const VALUE: PoolValue = { ...KEY, value: { city: 'Oslo' }, version: 8, ...TIMES, accessCount: 3 };
const { poolId: _, ...LISTED } = { ...VALUE, key: 'venue', value: { address: VALUE.value } };

const REFUSED = ['NOT_FOUND', 'FORBIDDEN'] as const;

export const poolValueOperations = {
  'pools.read': operation({
    group: GROUP,
    summary: 'Read a value of a pool, or a field within one.',
    description: 'A dot separates fields: `venue.address` is the field `address` of the value `venue`.',
    input: poolKeyInputSchema,
    output: poolValueSchema,
    http: { method: 'GET', path: KEY_PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: KEY, output: VALUE },
  }),
  'pools.readAll': operation({
    group: GROUP,
    summary: 'Read all values of a pool, page by page.',
    input: listPoolValuesInputSchema,
    output: listPoolValuesOutputSchema,
    http: { method: 'GET', path: DATA_PATH, status: 200 },
    errors: ['NOT_FOUND'],
    example: { input: ID, output: { ...ID, values: [LISTED], count: 1, nextCursor: null } },
  }),
  'pools.write': operation({
    group: GROUP,
    summary: 'Set a value of a pool, or a field within one.',
    description:
      'Missing objects on the path are created; a path through anything but an object is refused. With `If-Match`, only if ' +
      'that is still the version of the value; with `If-Match: 0`, only if there is no value.',
    input: writePoolInputSchema,
    output: poolValueSchema,
    http: { method: 'PUT', path: KEY_PATH, status: 200, ifMatch: 'ifVersion', ifNoneMatch: true },
    errors: REFUSED,
    example: { input: { ...KEY, value: { city: 'Oslo' } }, output: { ...VALUE, accessCount: 0 } },
  }),
  'pools.merge': operation({
    group: GROUP,
    summary: 'Set fields of an object in a pool, atomically.',
    description:
      'A missing value counts as an empty object. Other fields stay as they are. A value that is not an object, such as ' +
      'a list, is refused and stays unchanged.',
    input: mergePoolInputSchema,
    output: poolValueSchema,
    http: { method: 'POST', path: `${KEY_PATH}/merge`, status: 200, ifMatch: 'ifVersion' },
    errors: REFUSED,
    example: {
      input: { ...KEY, fields: { street: 'Storgata 1' } },
      output: { ...VALUE, value: { city: 'Oslo', street: 'Storgata 1' }, version: 9 },
    },
  }),
  'pools.append': operation({
    group: GROUP,
    summary: 'Append items to a list in a pool, atomically.',
    description: 'A missing value counts as an empty list.',
    input: appendPoolInputSchema,
    output: poolValueSchema,
    http: { method: 'POST', path: `${KEY_PATH}/append`, status: 200, ifMatch: 'ifVersion' },
    errors: REFUSED,
    isRepeatable: false,
    example: {
      input: { ...ID, key: 'risks', items: ['The hall is small.'] },
      output: { ...VALUE, key: 'risks', value: ['The hall is small.'], version: 10 },
    },
  }),
  'pools.increment': operation({
    group: GROUP,
    summary: 'Add to a number in a pool, atomically.',
    description: 'A missing value counts as 0.',
    input: incrementPoolInputSchema,
    output: poolValueSchema,
    http: { method: 'POST', path: `${KEY_PATH}/increment`, status: 200, ifMatch: 'ifVersion' },
    errors: REFUSED,
    isRepeatable: false,
    example: {
      input: { ...ID, key: 'guests.invited', by: 2 },
      output: { ...VALUE, key: 'guests.invited', value: 2, version: 11 },
    },
  }),
  'pools.remove': operation({
    group: GROUP,
    summary: 'Remove a value of a pool, or a field within one.',
    input: removePoolValueInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: KEY_PATH, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    errors: ['FORBIDDEN'],
    example: { input: KEY, output: { success: true } },
  }),
  'pools.follow': stream({
    group: GROUP,
    summary: 'Follow the changes in a pool.',
    description:
      'Server-sent events: `id` is the position, `event` the type, `data` the change as JSON. Resumes after ' +
      '`Last-Event-ID` (or `after`) without loss or duplicates; without either it starts now. An event names the first ' +
      'part of the key, not the value: read the value yourself. The stream ends when you lose read access to the pool.',
    input: followPoolInputSchema,
    output: poolChangeSchema,
    http: { method: 'GET', path: `${POOL_PATH}/changes`, status: 200, lastEventId: 'after' },
    errors: ['NOT_FOUND'],
    example: {
      input: { ...ID, after: '5f0c6d9a21be.41' },
      output: {
        id: '5f0c6d9a21be.42',
        type: 'updated',
        ...ID,
        key: 'venue',
        version: 9,
        at: '2026-11-15T09:30:00.000Z',
      },
    },
  }),
} as const;
