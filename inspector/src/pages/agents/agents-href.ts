/** Addresses of what agents work with. */

import { ROOT } from '../../app/location.ts';

export function agentsHref(part: 'contexts' | 'plans' | 'pools' | 'sessions', id?: string): string {
  return `${ROOT}/agents/${part}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
}
