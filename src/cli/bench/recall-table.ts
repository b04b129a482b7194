/** The report of a run, for people to read. */

import type { RunConfiguration, Latency, Level, RecallReport } from './recall-report.ts';
import type { RecallFigures } from './recall-metrics.ts';
import { RECALL_MODES, type RecallMode } from './recall-mode.ts';

export function recallTable(report: RecallReport): string {
  const { configuration, turns, sessions } = report;
  return [
    ...headOf(configuration),
    '',
    'Turns: whether what answers a question is among the first results, in percent.',
    ...levelLines(turns, configuration),
    '',
    'Sessions: the same of the sessions that hold it, each as good as its best turn.',
    ...levelLines(sessions, configuration),
    '',
    ...latencyLines(report),
    '',
    ...answerabilityLines(report),
    '',
  ].join('\n');
}

function headOf({ version, dataset, engine, embedder, ranking, modes }: RunConfiguration): string[] {
  const signals = Object.entries(ranking).map(
    ([name, value]) => `${name} ${value === true ? 'on' : value === false ? 'off' : JSON.stringify(value)}`,
  );
  return [
    `Lamina ${version} on ${engine}, vectors of ${embedder.model} (${embedder.dimensions} dimensions)`,
    `${dataset.name}: ${dataset.conversations} conversations, ${dataset.turns} turns, ${dataset.questions} questions (sha256 ${dataset.sha256.slice(0, 12)})`,
    `ranking: ${signals.join(', ')}`,
    ...modes.map((mode) => `${mode}: ${RECALL_MODES[mode].title}`),
  ];
}

function levelLines(level: Level, { cuts, modes }: RunConfiguration): string[] {
  const at = (name: string): string[] => cuts.map((cut) => `${name}@${cut}`);
  const head = ['', '', 'questions', ...at('R'), ...at('all'), ...at('any'), 'MRR', 'NDCG@10'];
  const rows = Object.entries(level).flatMap(([category, figures]) =>
    modes.flatMap((mode, index) => {
      const row = figures[mode];
      return row === undefined || row.questions === 0 ? [] : [rowOf(index === 0 ? category : '', mode, row, cuts)];
    }),
  );
  return table([head, ...rows], 2);
}

function rowOf(category: string, mode: RecallMode, figures: RecallFigures, cuts: readonly number[]): string[] {
  const { questions, recall, allHit, anyHit, mrr, ndcg10 } = figures;
  const at = (values: Readonly<Record<string, number>>): string[] => cuts.map((cut) => percent(values[cut] ?? 0));
  return [
    category,
    mode,
    String(questions),
    ...at(recall),
    ...at(allHit),
    ...at(anyHit),
    percent(mrr),
    percent(ndcg10),
  ];
}

function latencyLines({ latencyMs }: RecallReport): string[] {
  const cells = ({ searches, search, embedding, call }: Latency): string[] => [
    String(searches),
    ...[search, embedding, call].flatMap(({ p50, p95 }) => [p50.toFixed(2), p95.toFixed(2)]),
  ];
  const rows = Object.entries(latencyMs).map(([mode, latency]) => [mode, ...cells(latency)]);
  const head = ['', 'searches', 'search p50', 'p95', 'embedding p50', 'p95', 'call p50', 'p95'];
  return ['Milliseconds: the search, the vector of the query, and both.', ...table([head, ...rows], 1)];
}

/** Each second point of the curve. */
const SHOWN = 2;

function answerabilityLines({ answerability }: RecallReport): string[] {
  const { threshold, answerable, unanswerable, curve, best } = answerability;
  const kinds = Object.keys(unanswerable);
  const rows = Object.entries(unanswerable).map(([kind, { questions, auroc, kept }]) => [
    kind,
    String(questions),
    auroc === null ? '-' : auroc.toFixed(3),
    percent(kept),
  ]);
  const points = curve
    .filter((_, index) => index % SHOWN === 0)
    .map((point) => [
      point.threshold.toFixed(2),
      percent(point.answerable),
      ...kinds.map((kind) => percent(point.unanswerable[kind] ?? 0)),
      percent(point.recall10),
    ]);
  return [
    `Is the answer there? By the score of the best result, and whether it passes the default threshold of ${threshold}.`,
    ...table(
      [
        ['', 'questions', 'AUROC', 'pass %'],
        ['with an answer', String(answerable.questions), '', percent(answerable.kept)],
        ...rows,
      ],
      1,
    ),
    ...(best === null
      ? []
      : [
          `Farthest apart at ${best.threshold.toFixed(2)}: ${percent(best.answerable)} of those with an answer pass, ` +
            `${percent(best.unanswerable)} of those without.`,
        ]),
    '',
    'By threshold: what passes, in percent.',
    ...table([['threshold', 'with an answer', ...kinds, 'R@10 left'], ...points], 1),
  ];
}

function percent(value: number): string {
  return (value * 100).toFixed(1);
}

/** The first `left` columns to the left, the others to the right. */
function table(rows: readonly (readonly string[])[], left: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
