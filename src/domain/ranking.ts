/** Which signals beyond words and vectors a ranking uses. Each can be switched off, to measure what it is worth. */

export interface Ranking {
  /** The turns before and after a turn count towards its score. */
  readonly neighbours: boolean;
  /** A question that names somebody finds what they said, and the name is no longer searched for in the text. */
  readonly speakers: boolean;
  /** A conversation with strong turns raises all of its turns. */
  readonly sessions: boolean;
  /** A question that names a date finds what was said then; one that asks for a time finds what names one. */
  readonly times: boolean;
  /** A turn that only asks or says little scores lower, and one with a name or number that was asked for scores higher. */
  readonly manner: boolean;
  /** If even the best result is weak, all scores are lower, so that a threshold leaves nothing. */
  readonly best: boolean;
}

export const DEFAULT_RANKING: Ranking = {
  neighbours: true,
  speakers: true,
  sessions: true,
  times: true,
  manner: true,
  best: true,
};
