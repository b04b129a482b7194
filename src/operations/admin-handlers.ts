/** What the operations of administration do, in terms of the core. */

import type { adminOperations } from './admin-operations.ts';
import type { Handlers } from './handler.ts';

export const adminHandlers: Handlers<typeof adminOperations> = {
  'keys.create': (core, principal, input) => core.keys.create(principal, input),
  'keys.list': (core, principal, input) => core.keys.list(principal, input),
  'keys.revoke': async (core, principal, input) => ({ revoked: await core.keys.revoke(principal, input.keyId) }),
  'admin.eraseUser': (core, principal, input) => core.admin.eraseUser(principal, input.userId),
  'admin.eraseTenant': (core, principal, input) => core.admin.eraseTenant(principal, input.tenantId),
  'admin.verifyErasure': (core, principal, input) => core.admin.verifyErasure(principal, input),
  'admin.audit': (core, principal, input) => core.admin.audit(principal, input),
  'admin.verifyAudit': (core, principal, input) => core.admin.verifyAudit(principal, input),
};
