/** Drafts as what is written: named, tagged, placed, and in parts where the text is longer than an entry may be. Pure. */

import { createHash } from 'node:crypto';
import { assertJson } from '../../domain/json.ts';
import { LaminaError } from '../../domain/error.ts';
import { DEFAULT_LIMITS } from '../../domain/limits.ts';
import type { PrincipalInput } from '../../domain/principal.ts';
import { addInputSchema } from '../../domain/remember.ts';
import { REQUIRED_IDENTIFIERS, type Identifiers, type Layer } from '../../domain/scope.ts';
import type { OperationInput } from '../../operations/table.ts';
import { partsOf } from '../knowledge-folder.ts';
import type { Place } from '../memory-flags.ts';
import type { ImportDraft } from './import-format.ts';

export type AddInput = OperationInput<'add'>;

/** Where drafts go. */
export interface Destination {
  readonly format: string;
  readonly principal: PrincipalInput;
  /** What the flags say; undefined where they leave it to the source. */
  readonly place: Place | undefined;
  /** Whether all of it becomes that of the principal, whoever the source names. */
  readonly isForOne: boolean;
  /** Other names for users of the source. */
  readonly users: ReadonlyMap<string, string>;
}

const MAX_EXTERNAL_ID = 240;
const MAX_IDENTIFIER = 100;
const MAX_TAG = 100;
const MAX_TAGS = 99;
const MAX_REFERENCE = 1024;

/** By which everything of a format can be found and forgotten. */
export function tagOf(format: string): string {
  return `import:${format}`;
}

/** On whose behalf it is written. */
export function userOf({ userId }: ImportDraft, { principal, isForOne, users }: Destination): string {
  return isForOne || userId === undefined ? principal.userId : shortened(users.get(userId) ?? userId);
}

/** Throws `VALIDATION_FAILED` for what no memory can hold. */
export function inputsOf(draft: ImportDraft, destination: Destination): AddInput[] {
  const { kind, tags = [], validFrom, expiresAt, role, turn, userId } = draft;
  const owner = userOf(draft, destination);
  const tag = tagOf(destination.format);
  const isOtherName = userId !== undefined && userId !== owner;
  const metadata = { ...draft.metadata, ...(isOtherName && { importedUser: userId }) };
  const common = {
    kind,
    ...placeOf(draft, owner, destination),
    byNameOnly: true,
    metadata: cleaned(metadata) as Record<string, unknown>,
    tags: [tag, ...new Set(tags.map((each) => cut(clean(each), MAX_TAG)).filter((each) => each !== ''))].slice(
      0,
      MAX_TAGS + 1,
    ),
    source: { type: 'import', reference: cut(clean(`${destination.format}:${draft.id}`), MAX_REFERENCE) },
    ...(validFrom !== undefined && { validFrom }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(role !== undefined && { role }),
    ...(turn !== undefined && { turn }),
  } as const;
  const name = draft.externalId ?? externalIdOf(destination.format, draft.id);
  const parts = partsOf(clean(draft.content).trim(), DEFAULT_LIMITS.contentLength);
  if (parts.length === 0) throw new LaminaError('VALIDATION_FAILED', 'has no text');
  return parts.map((content, index) =>
    checked({ ...common, content, externalId: index === 0 ? name : `${name}#${index + 1}` }),
  );
}

/** Hashed where it is too long for an external id. */
function externalIdOf(format: string, id: string): string {
  const name = clean(`${format}:${id}`);
  return name.length <= MAX_EXTERNAL_ID ? name : `${format}:${createHash('sha256').update(id).digest('base64url')}`;
}

function placeOf(
  draft: ImportDraft,
  userId: string,
  { place }: Destination,
): { layer: Layer; identifiers?: Identifiers } {
  const layer = place?.layer ?? (draft.isAgents ? 'agent' : 'user');
  // The tenant itself, which only Lamina knows: whatever is named would take its place.
  if (layer === 'company' && place?.identifiers?.companyId === undefined) return { layer };
  const isPersonal = REQUIRED_IDENTIFIERS[layer].includes('userId');
  const { agentId, sessionId } = draft;
  const identifiers = {
    ...(agentId !== undefined && { agentId: shortened(agentId) }),
    ...(sessionId !== undefined && { sessionId: shortened(sessionId) }),
    ...place?.identifiers,
    ...(isPersonal && { userId }),
  };
  return { layer, identifiers };
}

function shortened(identifier: string): string {
  const text = clean(identifier);
  return text.length <= MAX_IDENTIFIER ? text : createHash('sha256').update(text).digest('hex');
}

function checked(input: AddInput): AddInput {
  assertJson(input);
  const { success, error } = addInputSchema.safeParse(input);
  if (success) return input;
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw new LaminaError('VALIDATION_FAILED', `${path}: ${issue?.message ?? 'does not fit'}`);
}

/** No database keeps NUL, and none half a character. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).map(([key, inner]) => [clean(key), cleaned(inner)] as const);
  // Metadata cannot have it.
  return Object.fromEntries(fields.filter(([key]) => key !== '__proto__'));
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
