/**
 * Which Node can run Lamina. On an older one native parts can crash the process silently, so it is checked before they
 * load.
 */

import { LaminaError } from '../domain/error.ts';

/** As `engines` of package.json says, which bin/lamina.js reads: it has to run where this file cannot. */
export const LEAST_NODE = '22.15';

export function isNodeTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

/** Throws `CONFIGURATION_ERROR`. */
export function assertNodeVersion(version: string = process.versions.node): void {
  if (!isNodeTooOld(version)) return;
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    `Lamina cannot run on Node ${version}: it needs ${LEAST_NODE} or newer. Install Node 24.`,
  );
}
