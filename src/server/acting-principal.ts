/**
 * The principal that an authenticated request acts as: its own, or the one its headers name, as far as its credential
 * allows.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { LaminaError } from '../domain/error.ts';
import { isDelegate, type Principal } from '../domain/principal.ts';
import { PRINCIPAL_HEADERS } from '../operations/wire-headers.ts';
import { namedIn, validatePrincipal } from './named-principal.ts';

export type CredentialKind = 'token' | 'API key';

type Part = 'tenant' | 'user' | 'agent';

const ADVICE: Readonly<Record<Part, string>> = {
  tenant: 'a credential of that tenant',
  user: 'a credential of that user, or one with the role "delegate"',
  agent: 'a credential of that agent, or one that names none',
};

/**
 * A header may repeat the credential, and narrow it to an agent if it names none. A delegate may name any user of its
 * tenant, and then acts only as a member. Throws `FORBIDDEN` for every other header, rather than act as the wrong
 * principal, and `VALIDATION_FAILED` for an empty one.
 */
export function actingPrincipal(own: Principal, headers: IncomingHttpHeaders, kind: CredentialKind): Principal {
  const { tenantId, userId, agentId } = namedIn(headers);
  const refuse = (part: Part, holder: string): LaminaError => refusal(kind, part, holder);
  if (tenantId !== undefined && tenantId.toLowerCase() !== own.tenantId) throw refuse('tenant', own.tenantId);
  if (agentId !== undefined && agentId !== (own.agentId ?? agentId)) throw refuse('agent', own.agentId ?? '');
  const isForAnother = userId !== undefined && isDelegate(own);
  if (userId !== undefined && userId !== own.userId && !isForAnother) throw refuse('user', own.userId);
  if (!isForAnother && (agentId === undefined || agentId === own.agentId)) return own;
  const acting = isForAnother ? { ...own, userId, roles: ['member'] } : own;
  const valid = validatePrincipal(agentId === undefined ? acting : { ...acting, agentId });
  return { ...valid, holder: { userId: own.userId, agentId: own.agentId } };
}

function refusal(kind: CredentialKind, part: Part, holder: string): LaminaError {
  const header = PRINCIPAL_HEADERS[`${part}Id`];
  return new LaminaError(
    'FORBIDDEN',
    `The ${kind} is of ${part} "${holder}", and acts for no other: ${header} names another one. ` +
      `Leave it out, or use ${ADVICE[part]}.`,
    { details: { header } },
  );
}
