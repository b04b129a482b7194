/** Which signals beyond words and meaning take part in a ranking. Each can be left out, to see what it is worth. */

export interface Ranking {
  /** The turns before and after a turn of a conversation are heard with it. */
  readonly neighbours: boolean;
  /** What somebody said is found by a question that names them, and the name is no longer looked for in the text. */
  readonly speakers: boolean;
  /** A conversation that has much to say about it lifts all of its turns. */
  readonly sessions: boolean;
  /** A question that names a date, or asks for one, finds what was said then, or what names a time. */
  readonly times: boolean;
  /** A turn that only asks or says little answers less, and one that has what is asked for, a name or a number, more. */
  readonly manner: boolean;
  /** Where even the best result has little to say all scores are lower, so that a threshold leaves nothing. */
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
