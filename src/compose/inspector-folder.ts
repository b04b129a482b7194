/** Where the inspector is built to. */

import { fileURLToPath } from 'node:url';

/** The same place in a checkout and in the published package: both have `dist` two folders up. */
export function inspectorFolder(): string {
  return fileURLToPath(new URL('../../dist/inspector', import.meta.url));
}
