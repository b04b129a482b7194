/** Who is asking. A credential is kept in memory only, and is gone with the page; who one chose to be is remembered. */

import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { PrincipalInput } from '../../../src/domain/principal.ts';
import { keep, kept } from '../app/kept.ts';

/** Who one is where nobody has to prove it. Nothing at all is whoever runs the service: an administrator. */
export interface Identity {
  readonly tenantId?: string;
  readonly userId?: string;
  readonly agentId?: string;
  readonly isAdmin?: boolean;
}

const KEY = 'identity';
const LOCAL_USER = 'local';

const chosen = signal<Identity>(restored());
const secret = signal<string | undefined>(undefined);

export const identity: ReadonlySignal<Identity> = chosen;
/** A token or an API key. */
export const credential: ReadonlySignal<string | undefined> = secret;
/** The last credential that the service did not take. */
const refused = signal<string | undefined>(undefined);
export const isRefused: ReadonlySignal<boolean> = computed(
  () => secret.value !== undefined && secret.value === refused.value,
);
/** That the service asked for a credential, and why the last one was refused. */
export const refusal = signal<string | undefined>(undefined);

/** Changes whenever another principal asks: what is shown is then loaded again. */
export const principalKey: ReadonlySignal<string> = computed(() => JSON.stringify([chosen.value, secret.value]));

/** For the client; undefined lets the service decide. */
export const principal: ReadonlySignal<PrincipalInput | undefined> = computed(() => {
  const { tenantId, userId, agentId, isAdmin } = chosen.value;
  if (secret.value !== undefined || (tenantId ?? userId ?? agentId) === undefined) return undefined;
  return {
    userId: userId ?? LOCAL_USER,
    ...(tenantId !== undefined && { tenantId }),
    ...(agentId !== undefined && { agentId }),
    roles: [isAdmin === true || userId === undefined ? 'admin' : 'member'],
  };
});

function restored(): Identity {
  try {
    return JSON.parse(kept(KEY) ?? '{}') as Identity;
  } catch {
    return {};
  }
}

export function actAs(next: Identity): void {
  chosen.value = next;
  keep(KEY, Object.keys(next).length === 0 ? undefined : JSON.stringify(next));
}

export function signIn(text: string): void {
  secret.value = text;
  refusal.value = undefined;
}

/** Brings the sign-in up. */
export function refuse(reason: string, used: string | undefined): void {
  refused.value = used;
  refusal.value = reason;
}

export function signOut(): void {
  secret.value = undefined;
}
