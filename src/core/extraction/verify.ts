/** What a language model gave, held against what was said: who said it, and whether it was said at all. Pure. */

import type { Entry } from '../../domain/entry.ts';
import type { Dropped } from '../../domain/extraction.ts';
import type { Fact } from '../../domain/fact.ts';
import { occurredAt } from '../episodic/episode.ts';
import type { Known } from './known.ts';
import type { GivenFact, GivenMemory, ModelAnswer } from './model-answer.ts';
import { quotedSpan, type Span } from './quoted-span.ts';
import { pieceText, type Piece, type Window } from './windows.ts';

/** Where something came from. */
export interface Sourced {
  readonly source: Entry;
  readonly span: Span;
}

export interface SourcedMemory extends Sourced {
  readonly memory: GivenMemory;
  /** The known one that it takes the place of. */
  readonly replaced: Entry | undefined;
}

export interface SourcedFact extends Sourced {
  readonly fact: GivenFact;
}

export interface SourcedEnd extends Sourced {
  readonly known: Fact;
}

export interface Verified {
  readonly memories: readonly SourcedMemory[];
  /** In the order in which they were said. */
  readonly facts: readonly SourcedFact[];
  readonly ended: readonly SourcedEnd[];
  readonly dropped: Dropped;
}

export function nothingDropped(): { -readonly [reason in keyof Dropped]: Dropped[reason] } {
  return { invalid: 0, unquoted: 0, untrusted: 0, unknown: 0, excess: 0 };
}

/**
 * Only the user's own words make a rule, change a memory or end a fact: a page that a tool has read does not express the
 * user's will, and may have misled the assistant.
 */
export function verify({ pieces }: Window, known: Known, answer: ModelAnswer): Verified {
  const dropped = { ...nothingDropped(), invalid: answer.invalid, excess: answer.excess };
  const sourced = <Item extends { message: number; quote: string }>(item: Item): Sourced | undefined => {
    const piece = pieces[item.message - 1];
    const span = piece && spanIn(piece, item.quote);
    if (piece && span) return { source: piece.turn, span };
    dropped.unquoted += 1;
    return undefined;
  };
  const memories = answer.memories.flatMap((memory): SourcedMemory[] => {
    const from = sourced(memory);
    if (from === undefined) return [];
    const isWill = memory.kind === 'procedural' || memory.replaces !== undefined;
    if (isWill && !isUsers(from)) {
      dropped.untrusted += 1;
      return [];
    }
    return [{ ...from, memory, replaced: named('m', known.memories, memory.replaces) }];
  });
  const facts = answer.facts.flatMap((fact): SourcedFact[] => {
    const from = sourced(fact);
    if (from === undefined) return [];
    return [{ ...from, fact: { ...fact, cardinality: isUsers(from) ? fact.cardinality : 'many' } }];
  });
  const ended = answer.ended.flatMap((end): SourcedEnd[] => {
    const from = sourced(end);
    if (from === undefined) return [];
    const fact = named('f', known.facts, end.fact);
    if (!isUsers(from)) dropped.untrusted += 1;
    else if (fact === undefined || fact.validFrom > occurredAt(from.source)) dropped.unknown += 1;
    else return [{ ...from, known: fact }];
    return [];
  });
  return { memories, facts: inOrder(facts, pieces), ended, dropped };
}

/** Counted from the beginning of the turn. */
function spanIn(piece: Piece, quote: string): Span | undefined {
  const span = quotedSpan(pieceText(piece), quote);
  return span && { ...span, start: piece.start + span.start, end: piece.start + span.end };
}

function isUsers({ source }: Sourced): boolean {
  return source.role === 'user';
}

function named<Item>(letter: string, items: readonly Item[], name: string | undefined): Item | undefined {
  if (name === undefined || !name.startsWith(letter)) return undefined;
  return items[Number(name.slice(1)) - 1];
}

/** What was said later counts where both cannot be right. */
function inOrder(facts: readonly SourcedFact[], pieces: readonly Piece[]): SourcedFact[] {
  const turns = pieces.map(({ turn }) => turn);
  return facts.toSorted((a, b) => turns.indexOf(a.source) - turns.indexOf(b.source) || a.span.start - b.span.start);
}
