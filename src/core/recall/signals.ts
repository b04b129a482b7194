/** What speaks for each candidate, and what against it. */

import { RECENCY_HALF_LIFE_DAYS, recency } from '../../domain/decay.ts';
import type { Ranking } from '../../domain/ranking.ts';
import type { Signals } from '../../domain/recall.ts';
import type { Candidate, Said } from '../../ports/entry-store.ts';
import { asksWhen, saysWhen, timesNamed } from '../text/named-times.ts';
import type { Bm25 } from './bm25.ts';
import { Conversations } from './conversations.ts';
import { pull, type Weights } from './score.ts';
import { namedSpeakers } from './speakers.ts';

/** So many words are as good as more. */
const AMPLE_WORDS = 24;

export interface Query {
  readonly text: string;
  /** Undefined where words are not looked at. */
  readonly words: Bm25 | undefined;
  /** How far above chance the similarity is. */
  readonly aboveChance: (similarity: number) => number;
  /** The lexemes in it that name speakers. */
  readonly names: ReadonlySet<string>;
  /** Milliseconds. */
  readonly now: number;
}

/** Of each candidate, in their order. `isComplete` says that there are no others in the reach. */
export function signalsOf(
  candidates: readonly Candidate[],
  query: Query,
  { ranking, weights, isComplete }: { ranking: Ranking; weights: Weights; isComplete: boolean },
): Signals[] {
  const isConversation = (ranking.neighbours || ranking.sessions) && candidates.some(({ said }) => said !== undefined);
  const conversations = new Conversations(isConversation ? candidates : [], isComplete);
  const vectorOf = ({ similarity }: Candidate): number => (similarity === undefined ? 0 : query.aboveChance(similarity));
  const textOf = (candidate: Candidate): number =>
    query.words?.coverage(
      ranking.neighbours ? conversations.heard(candidate) : candidate,
      candidate.said?.speaker !== undefined,
    ) ?? 0;
  const spoken = ranking.speakers ? speakerSignal(candidates, query.names) : () => undefined;
  const told = mannerOf(query.text, ranking);
  const first = new Map(
    candidates.map((candidate) => [
      candidate,
      {
        text: textOf(candidate),
        vector: vectorOf(candidate),
        recency: recency(query.now - candidate.since, RECENCY_HALF_LIFE_DAYS),
        importance: candidate.importance,
        confidence: candidate.confidence,
        ...optional('speaker', spoken(candidate)),
      } satisfies Signals,
    ]),
  );
  const standing = ranking.sessions
    ? conversations.standing((candidate) => pull(first.get(candidate), weights))
    : () => undefined;
  return candidates.map((candidate) => {
    const own = first.get(candidate) as Signals;
    const previous = ranking.neighbours ? conversations.previous(candidate) : undefined;
    return {
      ...own,
      ...(previous && { previous: vectorOf(previous) }),
      ...optional('session', standing(candidate)),
      ...told(candidate),
    };
  });
}

function speakerSignal(
  candidates: readonly Candidate[],
  names: ReadonlySet<string>,
): (candidate: Candidate) => number | undefined {
  if (names.size === 0) return () => undefined;
  const isNamed = namedSpeakers(
    candidates.flatMap(({ said }) => said ?? []),
    names,
  );
  return ({ said }) => (said?.speaker === undefined ? undefined : Number(isNamed(said.speaker)));
}

type MannerSignals = Pick<Signals, 'time' | 'when' | 'asks' | 'substance'>;

/** When and how something was said, as far as that matters for the question. Only of episodes. */
function mannerOf(query: string, ranking: Ranking): (candidate: Candidate) => MannerSignals {
  const isThen = ranking.times ? timesNamed(query) : undefined;
  const isAskedFor = ranking.times && asksWhen(query);
  return ({ said, since, length }) => {
    if (said === undefined) return {};
    return {
      ...(isThen && { time: Number(isThen(since)) }),
      ...(isAskedFor && { when: Number(saysWhen(said.ending)) }),
      ...(ranking.manner && { asks: Number(isQuestion(said)), substance: substanceOf(length) }),
    };
  };
}

function isQuestion({ ending }: Said): boolean {
  return /[?？؟]\s*$/u.test(ending);
}

function substanceOf(length: number): number {
  return Math.min(1, Math.log1p(length) / Math.log1p(AMPLE_WORDS));
}

function optional<Name extends string>(name: Name, value: number | undefined): { [Key in Name]?: number } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: number });
}
