/** What the operations of export and import do, in terms of the core. */

import type { bundleOperations } from './bundle-operations.ts';
import type { Handlers } from './handler.ts';

export const bundleHandlers: Handlers<typeof bundleOperations> = {
  'admin.exportPage': (core, principal, input) => core.bundles.exportPage(principal, input),
  'admin.importPage': (core, principal, input) => core.bundles.importPage(principal, input),
};
