/** Where a run of maintenance and the receipt of an erasure are shown. */

import { ROOT } from '../../app/location.ts';

export function runHref(runId: string): string {
  return `${ROOT}/operations/maintenance/${encodeURIComponent(runId)}`;
}

export function erasureHref(erasureId: string): string {
  return `${ROOT}/operations/erasure/${encodeURIComponent(erasureId)}`;
}
