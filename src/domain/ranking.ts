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
  /** A turn that only asks, or has hardly a word, answers less. */
  readonly manner: boolean;
}

export const DEFAULT_RANKING: Ranking = {
  neighbours: true,
  speakers: true,
  sessions: true,
  times: true,
  manner: true,
};
