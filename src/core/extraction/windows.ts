/** A long conversation in windows that a language model can look at, one after the other. Pure. */

import type { Entry } from '../../domain/entry.ts';
import { readUpTo } from './unread.ts';

/** In one question. */
const MAX_PIECES = 40;
const MAX_CHARACTERS = 16_000;

/** Turns before a window that tell who "she" is and what "it" was; nothing is extracted from them. */
const BEFORE = 4;

/** How much of one turn is shown at once. What is longer comes in pieces. */
export const SHOWN_CHARACTERS = 8000;

/** Pieces end between words, where there is such a place among their last characters. */
const WORD_CHARACTERS = 500;

/** A part of a turn, mostly all of it. */
export interface Piece {
  readonly turn: Entry;
  /** In UTF-16 code units of its content. */
  readonly start: number;
  readonly end: number;
}

export interface Window {
  readonly before: readonly Entry[];
  readonly pieces: readonly Piece[];
}

export function pieceText({ turn, start, end }: Piece): string {
  return turn.content.slice(start, end);
}

/** Whether nothing of the turn is left after it. */
export function isLastPiece({ turn, end }: Piece): boolean {
  return end === turn.content.length;
}

/** Of the turns of a conversation, in their order, those that are to be looked at. */
export function windowsOf(conversation: readonly Entry[], isUnread: (episode: Entry) => boolean): Window[] {
  const windows: { from: number; pieces: Piece[]; characters: number }[] = [];
  for (const [index, episode] of conversation.entries()) {
    if (!isUnread(episode)) continue;
    for (const piece of piecesOf(episode)) {
      const characters = piece.end - piece.start;
      const last = windows.at(-1);
      const fits = last && last.pieces.length < MAX_PIECES && last.characters + characters <= MAX_CHARACTERS;
      if (fits) {
        last.pieces.push(piece);
        last.characters += characters;
      } else {
        windows.push({ from: index, pieces: [piece], characters });
      }
    }
  }
  return windows.map(({ from, pieces }) => ({ before: conversation.slice(Math.max(0, from - BEFORE), from), pieces }));
}

/** From where it was left. */
function piecesOf(turn: Entry): Piece[] {
  const pieces: Piece[] = [];
  for (let start = readUpTo(turn); start < turn.content.length;) {
    const end = pieceEnd(turn.content, start);
    pieces.push({ turn, start, end });
    start = end;
  }
  return pieces;
}

function pieceEnd(content: string, start: number): number {
  const limit = start + SHOWN_CHARACTERS;
  if (limit >= content.length) return content.length;
  const space = content.slice(limit - WORD_CHARACTERS, limit).search(/\s\S*$/u);
  if (space >= 0) return limit - WORD_CHARACTERS + space + 1;
  // No character in halves.
  return /[\ud800-\udbff]/.test(content.charAt(limit - 1)) ? limit - 1 : limit;
}
