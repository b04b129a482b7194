/** What the operations on pools do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { poolOperations } from './pool-operations.ts';
import type { poolValueOperations } from './pool-value-operations.ts';

export const poolHandlers: Handlers<typeof poolOperations & typeof poolValueOperations> = {
  'pools.create': (core, principal, input) => core.pools.create(principal, input),
  'pools.list': (core, principal, input) => core.pools.list(principal, input),
  'pools.get': (core, principal, input) => core.pools.get(principal, input.poolId),
  'pools.update': (core, principal, input) => core.pools.update(principal, input),
  'pools.delete': async (core, principal, input) => ({ success: await core.pools.delete(principal, input.poolId) }),
  'pools.grant': (core, principal, input) => core.pools.grant(principal, input),
  'pools.revoke': (core, principal, input) => core.pools.revoke(principal, input),
  'pools.accessibleBy': (core, principal, input) => core.pools.accessibleBy(principal, input),
  'pools.statistics': (core, principal, input) => core.pools.statistics(principal, input.poolId),
  'pools.read': (core, principal, input) => core.pools.read(principal, input),
  'pools.readAll': (core, principal, input) => core.pools.readAll(principal, input),
  'pools.write': (core, principal, input) => core.pools.write(principal, input),
  'pools.merge': (core, principal, input) => core.pools.merge(principal, input),
  'pools.append': (core, principal, input) => core.pools.append(principal, input),
  'pools.increment': (core, principal, input) => core.pools.increment(principal, input),
  'pools.remove': async (core, principal, input) => ({ success: await core.pools.remove(principal, input) }),
  'pools.follow': (core, principal, input, signal) => core.pools.follow(principal, input, signal),
};
