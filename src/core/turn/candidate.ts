/** Something that may go into a prompt: what memory found, and how it is said there. */

import type { Entry } from '../../domain/entry.ts';
import { canonicalJson, type Json } from '../../domain/json.ts';
import type { Sensitivity } from '../../domain/kind.ts';
import type { SearchResult } from '../../domain/recall.ts';
import type { TurnSection, TurnTaken } from '../../domain/turn.ts';

export interface TurnCandidate {
  readonly section: TurnSection;
  /** By what a receipt names it. */
  readonly name: Pick<TurnTaken, 'id' | 'key' | 'kind' | 'layer' | 'score'>;
  /** Values of working memory have none. */
  readonly sensitivity?: Sensitivity | undefined;
  /** What it says, by which it is compared with others. */
  readonly content: string;
  /** Who said it, or under which key it stands. */
  readonly label?: string | undefined;
  /** When it applies. */
  readonly condition?: string | undefined;
  /** Of the conversation: the last thing that was said, which may be the message itself. */
  readonly isLatest?: boolean | undefined;
}

export function recalledCandidate(section: 'memory' | 'procedures', { memory, score }: SearchResult): TurnCandidate {
  const { id, kind, layer, content, sensitivity, triggerCondition: condition } = memory;
  return { section, name: { id, kind, layer, score }, sensitivity, content, condition };
}

export function turnCandidate(entry: Entry, isLatest: boolean): TurnCandidate {
  const { id, kind, layer, content, sensitivity, role: label } = entry;
  return { section: 'conversation', name: { id, kind, layer }, sensitivity, content, label, isLatest };
}

/** Keys are sorted: no engine has to keep the order in which an object was written. */
export function valueCandidate(key: string, value: Json): TurnCandidate {
  const content = typeof value === 'string' ? value : canonicalJson(value);
  return { section: 'working', name: { key }, content, label: key };
}
