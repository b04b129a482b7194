/** The report of a run, as data: everything that a table is made of. */

import { z } from 'zod';
import { answerabilityOf, answerabilitySchema } from './answerability.ts';
import { figuresOf, percentile, recallFiguresSchema, type RecallFigures } from './recall-metrics.ts';
import { MODE_NAMES, type RecallMode } from './recall-mode.ts';
import { askedQuestionSchema, type AskedQuestion, type RecallResult } from './recall-result.ts';

const modeSchema = z.enum(MODE_NAMES as [RecallMode, ...RecallMode[]]);

const OVERALL = 'overall';

const levelSchema = z
  .record(z.string(), z.partialRecord(modeSchema, recallFiguresSchema))
  .describe(`By category, "${OVERALL}" first: that is all questions that have an answer.`);

const spreadSchema = z.strictObject({ p50: z.number(), p95: z.number() });

const latencySchema = z.strictObject({
  searches: z.int(),
  call: spreadSchema.describe('The whole call, with the vector of the query.'),
  embedding: spreadSchema.describe('The vector of the query alone.'),
  search: spreadSchema.describe('The call without it.'),
});

export const runConfigurationSchema = z.strictObject({
  version: z.string(),
  dataset: z.strictObject({
    name: z.string(),
    sha256: z.string(),
    conversations: z.int(),
    turns: z.int(),
    questions: z.int(),
  }),
  engine: z.string(),
  embedder: z.strictObject({
    model: z.string(),
    dimensions: z.int(),
    calibration: z.strictObject({ mean: z.number(), deviation: z.number() }),
  }),
  ranking: z.record(z.string(), z.unknown()),
  cuts: z.array(z.int()),
  modes: z.array(modeSchema),
  categories: z.array(z.string()),
});

export type RunConfiguration = z.output<typeof runConfigurationSchema>;

/** Everything but `latencyMs` is the same each time. */
export const recallReportSchema = z.strictObject({
  format: z.literal(1),
  configuration: runConfigurationSchema,
  turns: levelSchema,
  sessions: levelSchema,
  answerability: answerabilitySchema,
  latencyMs: z.partialRecord(modeSchema, latencySchema),
  questions: z.array(askedQuestionSchema.omit({ durations: true })),
});

export type RecallReport = z.output<typeof recallReportSchema>;
export type Level = RecallReport['turns'];
export type Latency = z.output<typeof latencySchema>;

export function recallReport(configuration: RunConfiguration, results: readonly RecallResult[]): RecallReport {
  const questions = results.flatMap((result) => result.questions);
  const own = questions.filter(({ isForeign }) => !isForeign);
  return {
    format: 1,
    configuration,
    turns: levelOf(own, configuration, 'turns'),
    sessions: levelOf(own, configuration, 'sessions'),
    answerability: answerabilityOf(questions),
    latencyMs: latenciesOf(own),
    questions: questions.map(withoutDurations),
  };
}

function withoutDurations(question: AskedQuestion): RecallReport['questions'][number] {
  const { durations, ...rest } = question;
  void durations;
  return rest;
}

function levelOf(
  questions: readonly AskedQuestion[],
  { modes, cuts, categories }: RunConfiguration,
  level: 'turns' | 'sessions',
): Level {
  const figures = (some: readonly AskedQuestion[]): Partial<Record<RecallMode, RecallFigures>> =>
    Object.fromEntries(
      modes.map((mode) => [
        mode,
        figuresOf(
          some.map(({ answers }) => placesOf(answers[mode]?.[level])),
          cuts,
        ),
      ]),
    );
  const rows = categories.map((name) => [name, questions.filter(({ category }) => category === name)] as const);
  const answerable = questions.filter(({ isAnswerable }) => isAnswerable);
  return Object.fromEntries([[OVERALL, answerable] as const, ...rows].map(([name, some]) => [name, figures(some)]));
}

function placesOf(ranks: readonly (number | null)[] = []): number[] {
  return ranks.map((rank) => (rank === null ? Number.POSITIVE_INFINITY : rank - 1));
}

function latenciesOf(questions: readonly AskedQuestion[]): RecallReport['latencyMs'] {
  const latencies: RecallReport['latencyMs'] = {};
  for (const mode of MODE_NAMES) {
    const durations = questions.flatMap((question) => question.durations[mode] ?? []);
    if (durations.length > 0) {
      latencies[mode] = {
        searches: durations.length,
        call: spreadOf(durations.map(({ ms }) => ms)),
        embedding: spreadOf(durations.map(({ embeddingMs }) => embeddingMs)),
        search: spreadOf(durations.map(({ ms, embeddingMs }) => ms - embeddingMs)),
      };
    }
  }
  return latencies;
}

function spreadOf(values: readonly number[]): { p50: number; p95: number } {
  return { p50: percentile(values, 0.5), p95: percentile(values, 0.95) };
}
