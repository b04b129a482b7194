/** Erasing people and tenants, showing that nothing is left of them, and the log of what administrators did. */

import type { AuditEntry, AuditInput, AuditOutput, AuditVerification, VerifyAuditInput } from '../../domain/audit.ts';
import type { Receipt, Verification, VerifyErasureInput } from '../../domain/erasure.ts';
import { LaminaError, invalidField } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ErasedUser, ErasureWork } from '../../ports/erasure.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { workingNamespace } from '../../domain/namespace.ts';
import { assertAdmin } from './assert-admin.ts';
import { hourOf, recordHourly } from './record-act.ts';
import { hashOfId, isNothing, pseudonymOf, receiptHash, receiptOf } from './receipt.ts';
import { verifyChain } from './verify-chain.ts';

export interface Administration {
  /** Removes everything that belongs to a user of the principal's tenant. Also works for an unknown user. */
  eraseUser(principal: Principal, userId: string): Promise<Receipt>;
  /** Removes the principal's own tenant; throws `FORBIDDEN` for any other, whether there is one or not. */
  eraseTenant(principal: Principal, tenantId: string): Promise<Receipt>;
  /** Counts again what is left of someone who was erased; null if there is no such erasure. */
  verifyErasure(principal: Principal, input: VerifyErasureInput): Promise<Verification | null>;
  audit(principal: Principal, input: AuditInput): Promise<AuditOutput>;
  /** Whether the audit log of the tenant is as it was written. */
  verifyAudit(principal: Principal, input: VerifyAuditInput): Promise<AuditVerification>;
  /** Logs that a non-administrator tried an administrative operation: once an hour per operation. */
  noteRefusal(principal: Principal, operation: string): Promise<void>;
}

/** Refusals that are remembered so that they are logged once. */
const MAX_NOTED = 10_000;

/** Tells a cursor of this list from others. */
const LIST = { list: 'audit' };

type Needs = Pick<Dependencies, 'erasure' | 'audit' | 'embedder' | 'clock' | 'ids'>;

export function createAdministration(dependencies: Needs): Administration {
  const noted = new Map<string, number>();
  return {
    eraseUser: (principal, userId) => eraseUser(dependencies, principal, userId),
    eraseTenant: (principal, tenantId) => eraseTenant(dependencies, principal, tenantId),
    verifyErasure: (principal, input) => verifyErasure(dependencies, principal, input),
    audit: (principal, input) => audit(dependencies, principal, input),
    verifyAudit: async (principal, { head }) => {
      assertAdmin(principal);
      return verifyChain((limit, after) => dependencies.audit.chain(principal, limit, after), head);
    },
    noteRefusal: (principal, operation) => noteRefusal(dependencies, noted, principal, operation),
  };
}

async function eraseUser(dependencies: Needs, principal: Principal, userId: string): Promise<Receipt> {
  assertAdmin(principal);
  const user = erasedUser(userId);
  const actor = principal.userId === userId ? user.pseudonym : principal.userId;
  const work = workOf(dependencies, { action: 'users.erase', actor, subjectId: userId });
  return receiptIn(await dependencies.erasure.eraseUser(principal, user, work));
}

async function eraseTenant(dependencies: Needs, principal: Principal, tenantId: string): Promise<Receipt> {
  assertAdmin(principal);
  assertOwnTenant(principal, tenantId);
  const actor = pseudonymOf(principal.userId);
  const work = workOf(dependencies, { action: 'tenants.erase', actor, subjectId: tenantId });
  return receiptIn(await dependencies.erasure.eraseTenant(principal, work));
}

function erasedUser(userId: string): ErasedUser {
  return { userId, pseudonym: pseudonymOf(userId), namespaceOfPlan: workingNamespace };
}

function assertOwnTenant(principal: Principal, tenantId: string): void {
  if (tenantId === principal.tenantId) return;
  throw new LaminaError('FORBIDDEN', 'An administrator may do this with its own tenant only.');
}

interface Act {
  readonly action: 'users.erase' | 'tenants.erase';
  readonly actor: string;
  readonly subjectId: string;
}

function workOf({ embedder, ids, clock }: Needs, { action, actor, subjectId }: Act): ErasureWork {
  const id = ids.next();
  const subject = action === 'users.erase' ? 'user' : 'tenant';
  return {
    forget: (texts) => embedder.forget(texts),
    entryOf: (counts) => {
      const at = new Date(clock.now()).toISOString();
      const erasure = { erasureId: id, subject, subjectHash: hashOfId(subjectId), counts, completedAt: at } as const;
      return { id, action, actor, at, receipt: receiptOf(erasure) };
    },
  };
}

function receiptIn({ receipt }: AuditEntry): Receipt {
  if (receipt === undefined) throw new Error('An erasure was logged without its receipt.');
  return receipt;
}

async function verifyErasure(
  dependencies: Needs,
  principal: Principal,
  { erasureId, userId, tenantId }: VerifyErasureInput,
): Promise<Verification | null> {
  assertAdmin(principal);
  const subject = userId === undefined ? 'tenant' : 'user';
  const subjectId = userId ?? tenantId;
  if (subjectId === undefined || (userId !== undefined && tenantId !== undefined)) {
    throw invalidField(
      'userId',
      'name who was erased, by userId or by tenantId and not by both; the log keeps no names',
    );
  }
  if (tenantId !== undefined) assertOwnTenant(principal, tenantId);
  const { erasure, audit: log, clock } = dependencies;
  const receipt = await log.receipt(principal, erasureId);
  if (receipt === null) return null;
  if (receipt.subject !== subject || receipt.subjectHash !== hashOfId(subjectId)) {
    throw invalidField(userId === undefined ? 'tenantId' : 'userId', 'this erasure was of someone else');
  }
  const remaining =
    subject === 'user'
      ? await erasure.countUser(principal, erasedUser(subjectId))
      : await erasure.countTenant(principal);
  // A receipt that was tampered with proves nothing.
  const isGenuine = receiptHash(receipt) === receipt.hash;
  const checkedAt = new Date(clock.now()).toISOString();
  return { erasureId, verified: isGenuine && isNothing(remaining), remaining, checkedAt };
}

/** Repeated attempts do not cost a write each time. */
async function noteRefusal(
  dependencies: Needs,
  noted: Map<string, number>,
  principal: Principal,
  operation: string,
): Promise<void> {
  const { tenantId, userId, holder } = principal;
  const name = JSON.stringify([tenantId, userId, holder?.userId, operation]);
  const hour = hourOf(dependencies.clock.now());
  if (noted.get(name) === hour) return;
  if (noted.size >= MAX_NOTED) noted.clear();
  await recordHourly(dependencies, principal, 'refused', { about: { operation } });
  noted.set(name, hour);
}

async function audit({ audit: log }: Needs, principal: Principal, input: AuditInput): Promise<AuditOutput> {
  assertAdmin(principal);
  const { items, nextCursor } = await pageOf<AuditEntry>({
    list: LIST,
    cursor: input.cursor,
    limit: input.limit,
    placeOf: ({ at, id }) => ({ at: Date.parse(at), id }),
    read: (limit, after) => log.list(principal, limit, after),
  });
  return { entries: items, count: items.length, nextCursor };
}
