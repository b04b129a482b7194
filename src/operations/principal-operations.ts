/** Who the service takes the caller for. */

import { z } from 'zod';
import { principalSchema } from '../domain/principal.ts';
import { operation } from './operation.ts';

export const principalOperations = {
  'principal.get': operation({
    group: 'Principal',
    summary: 'Show the principal that the service sees you as.',
    description: 'Taken from your token or API key if authentication is on, else from the headers.',
    input: z.strictObject({}),
    output: principalSchema.required({ tenantId: true, roles: true }),
    http: { method: 'GET', path: '/v1/memory/principal', status: 200 },
    example: {
      input: {},
      output: { tenantId: '00000000-0000-0000-0000-000000000000', userId: 'local', roles: ['admin'] },
    },
  }),
} as const;
