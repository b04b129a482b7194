/** Something that may go into a prompt: what memory found, and how it is said there. */

import type { Entry } from '../../domain/entry.ts';
import { canonicalJson, type Json } from '../../domain/json.ts';
import type { Sensitivity, Trust } from '../../domain/kind.ts';
import type { SearchResult } from '../../domain/recall.ts';
import type { TurnSection, TurnTaken } from '../../domain/turn.ts';
import { occurredAt } from '../episodic/episode.ts';

/** When a turn was said. */
export interface Said {
  readonly at: string;
  /** Its place in its conversation. */
  readonly turn?: number | undefined;
}

export interface TurnCandidate {
  readonly section: TurnSection;
  /** By what a receipt names it. */
  readonly name: Pick<TurnTaken, 'id' | 'key' | 'kind' | 'layer' | 'trust' | 'score'>;
  /** Values of working memory have none. */
  readonly sensitivity?: Sensitivity | undefined;
  /** Values of working memory have none. */
  readonly trust?: Trust | undefined;
  /** What it says, by which it is compared with others. */
  readonly content: string;
  /** Who said it, or under which key it stands. */
  readonly label?: string | undefined;
  /** When it applies. */
  readonly condition?: string | undefined;
  /** Of the conversation: the last thing that was said, which may be the message itself. */
  readonly isLatest?: boolean | undefined;
  /** From when to when a fact holds, as a line says it. */
  readonly span?: string | undefined;
  /** The turns that a memory was extracted from. */
  readonly sources?: readonly string[] | undefined;
  /** It no longer holds. */
  readonly isEnded?: boolean | undefined;
  /** When it was said, or written the last time: of what was searched for. */
  readonly since?: string | undefined;
  /** Of a turn that was found among the memories. */
  readonly said?: Said | undefined;
}

export function recalledCandidate(section: 'memory' | 'procedures'): (result: SearchResult) => TurnCandidate {
  return ({ memory, score }) => {
    const { id, kind, layer, content, sensitivity, trust, triggerCondition: condition, updatedAt: since } = memory;
    const name = { id, kind, layer, trust, score };
    return { section, name, sensitivity, trust, content, condition, since, sources: sourcesOf(memory) };
  };
}

function sourcesOf({ provenance: { quotes = [], alsoFrom = [] } = {} }: Entry): string[] {
  return quotes.length === 0 ? [] : [...quotes.map(({ entryId }) => entryId), ...alsoFrom];
}

/** Of any conversation: the day and who said it stand before it, as the conversation is not there to tell. */
export function episodeCandidate({ memory, score }: SearchResult): TurnCandidate {
  const { id, kind, layer, content, sensitivity, trust, role, speaker = role, turn } = memory;
  const at = occurredAt(memory);
  const [day] = at.split('T');
  const label = speaker === undefined ? day : `${day}, ${speaker}`;
  const name = { id, kind, layer, trust, score };
  return { section: 'memory', name, sensitivity, trust, content, label, since: at, said: { at, turn } };
}

export function turnCandidate(entry: Entry, isLatest: boolean): TurnCandidate {
  const { id, kind, layer, content, sensitivity, trust, role: label } = entry;
  return { section: 'conversation', name: { id, kind, layer, trust }, sensitivity, trust, content, label, isLatest };
}

/** Keys are sorted: no engine has to keep the order in which an object was written. */
export function valueCandidate(key: string, value: Json): TurnCandidate {
  const content = typeof value === 'string' ? value : canonicalJson(value);
  return { section: 'working', name: { key }, content, label: key };
}
