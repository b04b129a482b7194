/** Extracted memories as drafts, and whether something that is known says the same. */

import type { Placement } from '../../domain/access.ts';
import type { Cost, Entry, Provenance } from '../../domain/entry.ts';
import { stricter } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { draftAt, type Draft } from '../remember/draft.ts';
import { lexemesOf } from '../text/lexemes.ts';
import type { Places } from './known.ts';
import type { Sourced, SourcedMemory } from './verify.ts';

/** Quotes that one memory keeps: the latest. */
const MAX_QUOTES = 20;

/** Which language model made it, and what that took. */
export interface Made {
  readonly model: string;
  readonly cost: Cost;
}

/** It lies with its user, and is no less sensitive than what it came from. */
export function memoryDraft(
  dependencies: Dependencies,
  principal: Principal,
  places: Places,
  { memory, source, span }: SourcedMemory,
  made: Made,
): Draft {
  const { kind, content, when, importance } = memory;
  const scope = kind === 'procedural' ? places.agent : places.scope;
  const placement: Placement = { scope, kind, visibility: 'private', ownerId: principal.userId };
  const draft = draftAt(
    dependencies,
    placement,
    {
      content,
      sensitivity: stricter(source.sensitivity, memory.sensitivity),
      source: sourceOf(source),
      ...(importance !== undefined && { importance }),
      ...(source.validFrom !== undefined && { validFrom: source.validFrom }),
      ...(kind === 'procedural' && { procedureType: 'system_prompt' as const }),
      ...(kind === 'procedural' && when !== undefined && { triggerCondition: when }),
    },
    { ...places.agent.identifiers, ...scope.identifiers },
  );
  // Not what is quoted: a memory may be shared some day, and the conversation is not.
  const quotes = [{ entryId: source.id, version: source.version, start: span.start, end: span.end }];
  return { ...draft, made: source.trust, provenance: { derivedFrom: [source.id], quotes, ...made } };
}

export function sourceOf({ id, role }: Sourced['source']): NonNullable<Entry['source']> {
  return { type: role === 'tool' ? 'tool_result' : 'conversation', reference: id };
}

/**
 * What becomes of something known that says nearly the same. What extraction made is put in the new words where these say
 * more; what somebody wrote themselves stays theirs.
 */
export function settled(draft: Draft, existing: Entry | null): Draft {
  if (existing === null) return draft;
  const known = new Set(lexemesOf(existing.content));
  const saysMore = lexemesOf(draft.content).some((lexeme) => !known.has(lexeme));
  if (saysMore && mayChange(existing)) return revision(draft, existing);
  // What has ended stays so: the conversation may be read long after it was held.
  const { content, contentHash, validTo } = existing;
  return { ...draft, content, contentHash, fields: { validTo }, provenance: undefined };
}

/** Whether extraction made it, and nobody has given it a name since. */
export function mayChange({ provenance, externalId, knowledgePointer, identifiers }: Entry): boolean {
  const isBound = [externalId, knowledgePointer, identifiers.contextId].some((tie) => tie !== undefined);
  return provenance?.quotes !== undefined && !isBound;
}

/**
 * The provenance of something known that another turn says too; undefined where nothing is to be written down. What
 * somebody wrote themselves needs no turn to stay.
 */
export function saidAgain({ provenance }: Entry, draft: Draft): Provenance | undefined {
  const { derivedFrom = [], alsoFrom = [], quotes } = provenance ?? {};
  const [episode] = draft.provenance?.derivedFrom ?? [];
  if (quotes === undefined || episode === undefined || [...derivedFrom, ...alsoFrom].includes(episode))
    return undefined;
  return {
    ...provenance,
    alsoFrom: [...alsoFrom, episode].slice(-MAX_QUOTES),
    quotes: [...quotes, ...(draft.provenance?.quotes ?? [])].slice(-MAX_QUOTES),
  };
}

/** The draft as the next version of the entry: it is made of both then, and goes with either. */
export function revision(draft: Draft, { sensitivity, importance, provenance = {} }: Entry): Draft {
  const { derivedFrom = [], quotes = [] } = provenance;
  const { provenance: made = {}, fields } = draft;
  return {
    ...draft,
    fields: {
      ...fields,
      sensitivity: stricter(sensitivity, fields.sensitivity),
      importance: Math.max(importance, fields.importance ?? 0),
    },
    provenance: {
      ...made,
      derivedFrom: [...new Set([...derivedFrom, ...(made.derivedFrom ?? [])])],
      quotes: [...quotes, ...(made.quotes ?? [])].slice(-MAX_QUOTES),
      // These said what it said before.
      alsoFrom: undefined,
    },
  };
}
