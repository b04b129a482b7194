/** The comparison as text. */

import type { Machine } from '../machine.ts';
import { digits, mebibytes, textTable, whole, type Column } from '../text-table.ts';
import type { SearchFigures } from './measure-peer.ts';
import type { PeerResult } from './run-peer.ts';

export interface Results {
  readonly machine: Machine;
  readonly seed: number;
  readonly textsPerUser: number;
  readonly peers: readonly PeerResult[];
}

type Outcome = Exclude<PeerResult['outcome'], { readonly failure: string }>;

/** One way of asking one peer. The first carries what holds for the peer as a whole. */
interface Row {
  readonly result: PeerResult;
  readonly outcome: Outcome;
  readonly search: SearchFigures;
  readonly isFirst: boolean;
  /** Lamina on the same kind of database. */
  readonly lamina: Outcome | undefined;
}

function outcomeOf(result: PeerResult | undefined): Outcome | undefined {
  return result === undefined || 'failure' in result.outcome ? undefined : result.outcome;
}

function rowsOf(results: readonly PeerResult[]): Row[] {
  const named = (name: string): Outcome | undefined => outcomeOf(results.find(({ peer }) => peer === name));
  return results.flatMap((result) => {
    const outcome = outcomeOf(result);
    if (outcome === undefined) return [];
    const onPostgres = result.peer.endsWith('-postgres') ? named('lamina-postgres') : undefined;
    const lamina = onPostgres ?? named('lamina-sqlite');
    return outcome.searches.map((search, index) => ({ result, outcome, search, isFirst: index === 0, lamina }));
  });
}

function isolation({ foreign, confusesNamesakes }: SearchFigures): string {
  if (foreign > 0) return "no: others'";
  return confusesNamesakes ? "no: ann sees anna's" : 'yes';
}

function ratio(value: number, lamina: number | undefined): string {
  return lamina === undefined ? '-' : `${digits(value / lamina)}×`;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'peer', cell: ({ result }) => result.peer },
  { title: 'searches by', cell: ({ search }) => search.by },
  {
    title: 'texts',
    cell: ({ outcome, result }) => whole(outcome.reached) + (outcome.reached < result.size ? ' (cut)' : ''),
  },
  { title: 'add p50', cell: ({ outcome, isFirst }) => (isFirst ? digits(outcome.add.p50) : '') },
  {
    title: 'to Lamina',
    cell: ({ outcome, lamina, isFirst }) => (isFirst ? ratio(outcome.add.p50, lamina?.add.p50) : ''),
  },
  { title: 'search p50', cell: ({ search }) => digits(search.p50) },
  { title: 'p95', cell: ({ search }) => digits(search.p95) },
  { title: 'to Lamina', cell: ({ search, lamina }) => ratio(search.p50, lamina?.searches[0]?.p50) },
  { title: 'answered', cell: ({ search }) => `${Math.round(search.answered * 100)}%` },
  { title: 'disk', cell: ({ outcome, isFirst }) => (isFirst ? mebibytes(outcome.bytesOnDisk) : '') },
  { title: 'isolated', cell: ({ search }) => isolation(search) },
];

const LEGEND = `Milliseconds per call; adds and searches one at a time, each search within one user, k = 10, vectors cached.
add p50: of the last 1,000 adds. to Lamina: how many times as long as Lamina takes, on the same kind of database.
answered: searches that found the text which the question was made from. disk: after closing.
texts: "cut" where the time for adding was over. What is not comparable stands in bench/peers/README.md.`;

export function heading(
  { cores, memoryGiB, platform, node, sqlite, isInMemory }: Machine,
  notes: readonly string[],
): string {
  const lines = [`${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, SQLite ${sqlite}`, LEGEND, ...notes];
  if (isInMemory)
    lines.push('The temporary folder is in memory, where a durable write costs nothing: set TMPDIR to a disk.');
  return lines.join('\n');
}

export function sizeReport(size: number, users: number, results: readonly PeerResult[]): string {
  const failures = results.flatMap(({ peer, outcome }) =>
    'failure' in outcome ? [`${peer} failed: ${outcome.failure}`] : [],
  );
  const table = textTable(COLUMNS, rowsOf(results));
  return [`${whole(size)} texts of ${whole(users)} users`, table, ...failures].join('\n\n');
}

/** What an add promises and how users are kept apart, once for all sizes. */
export function characters(results: readonly PeerResult[]): string {
  const each = [...new Map(results.map((result) => [result.peer, result])).values()];
  const lines = each.map(
    ({ peer, version, durability, scoping }) =>
      `${peer}${version === undefined ? '' : ` ${version}`}\n  on disk: ${durability}\n  users: ${scoping}`,
  );
  return lines.join('\n');
}
