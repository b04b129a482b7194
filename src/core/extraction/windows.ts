/** A long conversation in pieces that a language model can look at, one after the other. Pure. */

import type { Entry } from '../../domain/entry.ts';

/** In one question. */
const MAX_TURNS = 40;
const MAX_CHARACTERS = 16_000;

/** Turns before a window that tell who "she" is and what "it" was; nothing is extracted from them. */
const BEFORE = 4;

/** How much of one turn is shown. What stands beyond is not quoted. */
export const SHOWN_CHARACTERS = 8000;

export interface Window {
  readonly before: readonly Entry[];
  readonly turns: readonly Entry[];
}

/** Of the turns of a conversation, in their order, those that are to be looked at. */
export function windowsOf(conversation: readonly Entry[], isUnread: (episode: Entry) => boolean): Window[] {
  const windows: { from: number; turns: Entry[]; characters: number }[] = [];
  for (const [index, episode] of conversation.entries()) {
    if (!isUnread(episode)) continue;
    const characters = Math.min(episode.content.length, SHOWN_CHARACTERS);
    const last = windows.at(-1);
    const fits = last && last.turns.length < MAX_TURNS && last.characters + characters <= MAX_CHARACTERS;
    if (fits) {
      last.turns.push(episode);
      last.characters += characters;
    } else {
      windows.push({ from: index, turns: [episode], characters });
    }
  }
  return windows.map(({ from, turns }) => ({ before: conversation.slice(Math.max(0, from - BEFORE), from), turns }));
}
