/** Events: what happens to memories, as it happens. */

import {
  eventPositionInputSchema,
  eventPositionOutputSchema,
  eventSchema,
  followEventsInputSchema,
  type Event,
} from '../domain/event.ts';
import { operation, stream } from './operation.ts';

const GROUP = 'Events';
const PATH = '/v1/memory/events';

const EVENT: Event = {
  id: '5f0c6d9a21be.42',
  type: 'created',
  memoryId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e11',
  version: 1,
  at: '2026-11-15T09:30:00.000Z',
};

export const eventOperations = {
  'events.follow': stream({
    group: GROUP,
    summary: 'Follow what happens to the memories that you may see.',
    description:
      'An endless stream of server-sent events: `id` is the position, `event` the type, `data` the event as JSON. Resumes after ' +
      '`Last-Event-ID` (or `after`) without loss or duplicates; without either it starts now. An event has the id of the ' +
      'memory, never its content: read it by its id.',
    input: followEventsInputSchema,
    output: eventSchema,
    http: { method: 'GET', path: PATH, status: 200, lastEventId: 'after' },
    example: { input: { after: '5f0c6d9a21be.41' }, output: EVENT },
  }),
  'events.position': operation({
    group: GROUP,
    summary: 'Get the current end of the event log.',
    description: 'Get this position, read what you need, then follow from the position: nothing is missed in between.',
    input: eventPositionInputSchema,
    output: eventPositionOutputSchema,
    http: { method: 'GET', path: `${PATH}/position`, status: 200 },
    example: { input: {}, output: { position: EVENT.id } },
  }),
} as const;
