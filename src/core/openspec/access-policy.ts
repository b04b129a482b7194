/** Access policies of the protocol as what Lamina knows: a layer, a visibility, an owner and a sensitivity. Pure. */

import type { Placement } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import { SENSITIVITIES, type Sensitivity } from '../../domain/kind.ts';
import type { AccessPolicy } from '../../domain/openspec.ts';
import type { Principal } from '../../domain/principal.ts';
import { PERSONAL_LAYERS, scopeOf, type Scope } from '../../domain/scope.ts';
import type { Conditions } from '../../ports/entry-store.ts';

interface PolicyRule {
  readonly visibility: 'private' | 'shared';
  /** Whether it stays its user's own to change, or becomes everyone's. */
  readonly isOwned: boolean;
  /** The sensitivity that says so; undefined where any other one does. */
  readonly sensitivity: Sensitivity | undefined;
}

const RULES: Readonly<Record<AccessPolicy, PolicyRule>> = {
  private: { visibility: 'private', isOwned: true, sensitivity: undefined },
  restricted: { visibility: 'private', isOwned: true, sensitivity: 'restricted' },
  shared: { visibility: 'shared', isOwned: true, sensitivity: undefined },
  organization: { visibility: 'shared', isOwned: false, sensitivity: undefined },
  public: { visibility: 'shared', isOwned: false, sensitivity: 'public' },
};

/** Of any entry, whichever surface wrote it. */
export function policyOf({ visibility, sensitivity, ownerId }: Entry): AccessPolicy {
  if (visibility === 'private') return sensitivity === 'restricted' ? 'restricted' : 'private';
  if (sensitivity === 'public') return 'public';
  return ownerId === null ? 'organization' : 'shared';
}

function scopeFor({ tenantId, userId }: Principal, { visibility }: PolicyRule): Scope {
  // What the whole tenant may read lies in the company layer, and the tenant is the company.
  return visibility === 'private' ? scopeOf('user', { userId }) : scopeOf('company', { companyId: tenantId });
}

/** Where a new entry of this policy lies. */
export function placementFor(principal: Principal, policy: AccessPolicy): Placement {
  const rule = RULES[policy];
  const { visibility, isOwned } = rule;
  const ownerId = isOwned ? principal.userId : null;
  return { scope: scopeFor(principal, rule), kind: 'semantic', visibility, ownerId };
}

/** The sensitivity that a new entry of this policy gets, where the policy has a say in it. */
export function sensitivityFor(policy: AccessPolicy): Sensitivity | undefined {
  return RULES[policy].sensitivity;
}

/** What must hold for an entry that has this policy, besides its audience. */
export function conditionsFor(policy: AccessPolicy): Conditions & Pick<PolicyRule, 'visibility'> {
  const { visibility, isOwned, sensitivity } = RULES[policy];
  const special = visibility === 'private' ? 'restricted' : 'public';
  if (sensitivity !== undefined) return { visibility, sensitivities: [sensitivity] };
  const sensitivities = SENSITIVITIES.filter((each) => each !== special);
  return { visibility, sensitivities, ...(visibility === 'shared' && { hasOwner: isOwned }) };
}

type Standing = Pick<Entry, 'layer' | 'identifiers' | 'ownerId' | 'visibility' | 'sensitivity'>;

/**
 * What an entry becomes under another policy; undefined where it has this one. It keeps its owner or gives it up, and
 * never gets one. Throws `FORBIDDEN`.
 */
export function movedTo(principal: Principal, entry: Entry, policy: AccessPolicy): Standing | undefined {
  if (policyOf(entry) === policy) return undefined;
  const rule = RULES[policy];
  const { layer, identifiers, ownerId } = entry;
  if (rule.isOwned && ownerId === null) {
    throw new LaminaError(
      'FORBIDDEN',
      `This entry belongs to everyone in its ${layer} layer and cannot become ${policy}. Create one of your own instead.`,
    );
  }
  if (!rule.isOwned && entry.kind !== 'semantic') {
    throw new LaminaError('FORBIDDEN', `What is ${entry.kind} belongs to a user and cannot become ${policy}.`);
  }
  const isMoving = rule.visibility === 'private' ? layer === 'company' : PERSONAL_LAYERS.has(layer);
  return {
    ...(isMoving ? scopeFor(principal, rule) : { layer, identifiers }),
    ownerId: rule.isOwned ? ownerId : null,
    visibility: rule.visibility,
    sensitivity: rule.sensitivity ?? withoutPolicy(entry.sensitivity),
  };
}

/** What only the policy before had set goes with it. */
function withoutPolicy(sensitivity: Sensitivity): Sensitivity {
  return sensitivity === 'restricted' || sensitivity === 'public' ? 'internal' : sensitivity;
}
