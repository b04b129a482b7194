/** From what a caller writes to a fact that could be stored: where it lies, from when on, checked. */

import { assertMayWriteScope } from '../../domain/access.ts';
import { invalidField, LaminaError } from '../../domain/error.ts';
import type { AddFactInput, Fact, Statement } from '../../domain/fact.ts';
import { assertWithin, type Limits } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import { DEFAULT_QUARANTINE, type Quarantine } from '../../domain/quarantine.ts';
import { scopeOf } from '../../domain/scope.ts';
import { isStranger, trustOf } from '../../domain/trust.ts';
import type { FactDraft } from '../../ports/fact-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { utc } from '../records/record.ts';
import { identifiersOf } from '../scoping.ts';
import { suspicionsIn } from '../trust/suspicions.ts';

export interface Assertion {
  /** As it would be stored, were nothing known yet. */
  readonly draft: FactDraft;
  /** Whether nothing else may hold for its type, subject and predicate. */
  readonly isSingle: boolean;
  /** What the caller said explicitly, which counts where the same is known already. */
  readonly given: Pick<AddFactInput, 'confidence' | 'metadata' | 'source' | 'validTo'>;
}

/** Throws what is wrong with the input. */
export function assertionOf(
  { ids, limits, quarantine }: Dependencies,
  principal: Principal,
  input: AddFactInput,
  now: string,
): Assertion {
  const { layer = 'user', identifiers, cardinality = 'many', factType, subject, predicate, object } = input;
  const scope = scopeOf(layer, identifiersOf(principal, identifiers));
  assertMayWriteScope(principal, scope);
  const validTo = input.validTo === undefined ? undefined : utc(input.validTo);
  const draft: FactDraft = {
    factId: input.factId ?? ids.next(),
    ...scope,
    factType,
    subject,
    predicate,
    object,
    confidence: input.confidence ?? 1,
    trust: trustOf(principal, input),
    metadata: asStored(input.metadata ?? {}),
    ...(input.source && { source: input.source }),
    validFrom: input.validFrom === undefined ? now : utc(input.validFrom),
    validTo: validTo ?? null,
    createdAt: now,
    updatedAt: now,
  };
  assertDraft(draft, limits);
  assertTelling(draft, quarantine);
  const { confidence, source } = input;
  return { draft, isSingle: cardinality === 'one', given: { confidence, metadata: draft.metadata, source, validTo } };
}

/** A stranger's fact that reads like instructions: facts are not laid apart, so that it is refused. Throws `LESS_TRUSTED`. */
function assertTelling(draft: FactDraft, quarantine: Quarantine = DEFAULT_QUARANTINE): void {
  if (!isSuspicious(draft, quarantine)) return;
  throw new LaminaError('LESS_TRUSTED', 'It reads like instructions to a model. Have a person write it as a fact.', {
    details: { trust: draft.trust },
  });
}

export function isSuspicious(
  { factType, subject, predicate, object, trust }: Statement & Pick<Fact, 'trust'>,
  quarantine: Quarantine = DEFAULT_QUARANTINE,
): boolean {
  if (quarantine === 'off' || !isStranger(trust)) return false;
  return suspicionsIn([factType, subject, predicate, object].join(' ')).length > 0;
}

/** Throws `LIMIT_EXCEEDED` or `VALIDATION_FAILED` when it cannot be stored as it is. */
export function assertDraft({ metadata, validFrom, validTo }: FactDraft, limits: Limits): void {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  assertWithin('LIMIT_EXCEEDED', 'The metadata', bytes, limits.metadataBytes, 'bytes');
  if (validTo !== null && validTo < validFrom) throw invalidField('validTo', 'before validFrom');
}

/** As it will be read back: without undefined fields and negative zeros, which JSON does not have. */
export function asStored(metadata: Fact['metadata']): Fact['metadata'] {
  return JSON.parse(JSON.stringify(metadata)) as Fact['metadata'];
}
