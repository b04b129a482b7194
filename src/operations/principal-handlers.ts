/** What the operation on principals does. */

import type { Handlers } from './handler.ts';
import type { principalOperations } from './principal-operations.ts';

export const principalHandlers: Handlers<typeof principalOperations> = {
  'principal.get': async (_core, { tenantId, userId, agentId, roles = [] }) => ({
    tenantId,
    userId,
    ...(agentId !== undefined && { agentId }),
    roles,
  }),
};
