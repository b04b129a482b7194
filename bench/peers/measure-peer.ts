/** One peer at one size: adds one after the other, then searches, then the question whether users are kept apart. */

import { percentilesOf, timed, type Percentiles } from './durations.ts';
import type { CachedVectors } from './cached-vectors.ts';
import type { Peer, Search } from './peer.ts';
import type { PeerWorkload, Question } from './peer-workload.ts';

/** Vectors are prepared for so many texts at a time. */
const CHUNK = 500;
/** What an add costs at the size that was reached is told by the last ones, not by those into an empty store. */
const LAST_ADDS = 1000;
const WARM_UP = 10;
const FEWEST_SEARCHES = 5;

/** Names of which one begins with the other: where a scope is a text prefix, the first sees what the second has. */
export const NAMESAKES = ['ann', 'anna'] as const;
const TEXT_OF_ANN = 'The blue bicycle stands in the cellar.';
const TEXT_OF_ANNA = 'The secret word is marzipan.';
const QUESTION_OF_ANN = 'secret word marzipan';

export interface SearchFigures extends Percentiles {
  readonly by: string;
  /** Share of the searches that found the text which the question was made from. */
  readonly answered: number;
  /** Searches that gave texts of another user. */
  readonly foreign: number;
  /** Whether `ann` was given what belongs to `anna`. */
  readonly confusesNamesakes: boolean;
}

export interface Measured {
  /** Texts that were stored when the time for adding was over. */
  readonly reached: number;
  readonly add: Percentiles;
  readonly addedPerSecond: number;
  readonly searches: readonly SearchFigures[];
}

export interface Plan {
  readonly workload: PeerWorkload;
  readonly vectors: CachedVectors;
  readonly searches: number;
  /** For the adds, and again for each kind of search. */
  readonly capMs: number;
  readonly say: (what: string) => void;
  /** Between adding and searching. */
  readonly settle: () => Promise<void>;
}

interface Added {
  readonly durations: readonly number[];
  readonly elapsedMs: number;
}

async function addTexts(peer: Peer, { workload: { texts }, vectors, capMs, say }: Plan): Promise<Added> {
  const started = performance.now();
  const durations: number[] = [];
  for (let first = 0; first < texts.length; first += CHUNK) {
    const chunk = texts.slice(first, first + CHUNK);
    await vectors.prepare(chunk.map(({ content }) => content));
    say(`${first} of ${texts.length}`);
    for (const { userId, content } of chunk) {
      if (performance.now() - started > capMs) return { durations, elapsedMs: performance.now() - started };
      durations.push(await timed(() => peer.add(userId, content)));
    }
  }
  return { durations, elapsedMs: performance.now() - started };
}

/** The same texts for two users might be told apart by nobody; such are left out of the count. */
function ownersOf({ texts }: PeerWorkload): Map<string, string | undefined> {
  const owners = new Map<string, string | undefined>();
  for (const { userId, content } of texts) {
    owners.set(content, owners.has(content) && owners.get(content) !== userId ? undefined : userId);
  }
  return owners;
}

async function measureSearch(
  { by, find }: Search,
  questions: readonly Question[],
  { workload, capMs }: Plan,
): Promise<Omit<SearchFigures, 'confusesNamesakes'>> {
  const started = performance.now();
  const isOver = (share: number): boolean => performance.now() - started > capMs * share;
  for (const { userId, query } of questions.slice(0, WARM_UP)) if (!isOver(0.1)) await find(userId, query);
  const owners = ownersOf(workload);
  const durations: number[] = [];
  let [answered, foreign] = [0, 0];
  for (const { userId, query, answer } of questions.slice(WARM_UP)) {
    if (isOver(1) && durations.length >= FEWEST_SEARCHES) break;
    let found: readonly string[] = [];
    const ask = async (): Promise<void> => {
      found = await find(userId, query);
    };
    durations.push(await timed(ask));
    if (found.includes(answer)) answered += 1;
    if (found.some((text) => (owners.get(text) ?? userId) !== userId)) foreign += 1;
  }
  return { by, ...percentilesOf(durations), answered: answered / durations.length, foreign };
}

/** Throws where the owner does not find it either: then the check would say nothing. */
async function confusesNamesakes({ by, find }: Search): Promise<boolean> {
  const [ann, anna] = NAMESAKES;
  const own = await find(anna, QUESTION_OF_ANN);
  if (!own.includes(TEXT_OF_ANNA)) throw new Error(`By ${by}, a user does not find what was just added.`);
  return (await find(ann, QUESTION_OF_ANN)).includes(TEXT_OF_ANNA);
}

export async function measurePeer(peer: Peer, plan: Plan): Promise<Measured> {
  const { workload, vectors, say } = plan;
  const { durations, elapsedMs } = await addTexts(peer, plan);
  const reached = durations.length;
  await plan.settle();
  const questions = workload.questions(WARM_UP + plan.searches, reached);
  await vectors.prepare(questions.map(({ query }) => query));
  const figures: Omit<SearchFigures, 'confusesNamesakes'>[] = [];
  for (const search of peer.searches) {
    say(`searching by ${search.by}`);
    figures.push(await measureSearch(search, questions, plan));
  }
  await vectors.prepare([TEXT_OF_ANN, TEXT_OF_ANNA, QUESTION_OF_ANN]);
  await peer.add(NAMESAKES[0], TEXT_OF_ANN);
  await peer.add(NAMESAKES[1], TEXT_OF_ANNA);
  const searches: SearchFigures[] = [];
  for (const [index, search] of peer.searches.entries()) {
    const figure = figures[index];
    if (figure !== undefined) searches.push({ ...figure, confusesNamesakes: await confusesNamesakes(search) });
  }
  return {
    reached,
    add: percentilesOf(durations.slice(-LAST_ADDS)),
    addedPerSecond: (reached * 1000) / elapsedMs,
    searches,
  };
}
