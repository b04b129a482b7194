/** How many of the truly nearest the vector index gives, and what a search over everything costs through it. */

import { Lamina } from '../../src/compose/lamina.ts';
import { systemClock } from '../../src/compose/system.ts';
import { partitionOf } from '../../src/domain/access.ts';
import { scopeOf } from '../../src/domain/scope.ts';
import type { PostgresConnection, PostgresDriver } from '../../src/engines/postgres/postgres-driver.ts';
import { PostgresEngine } from '../../src/engines/postgres/postgres-engine.ts';
import { vectorText } from '../postgres/bulk-load.ts';
import { Samples, type Figures } from '../statistics.ts';
import type { NearbyEmbedder } from './nearby-embedder.ts';

export interface Asker {
  readonly tenantId: string;
  readonly userId: string;
}

export interface HnswFigures {
  /** The share of the ten nearest that is among the ten that were given, over all questions. */
  readonly recall: number;
  readonly leastRecall: number;
  readonly modes: readonly { readonly mode: string; readonly figures: Figures }[];
  /** Comparing the question with every vector. */
  readonly exact: Figures;
}

const RESULTS = 10;
const STATEMENT_TIMEOUT_MS = 60_000;
/** What lies no farther away than the tenth nearest is as good as the tenth: half floats and equal texts make ties. */
const TIE = 1e-5;

const EXACT = `
  SELECT 1 - (v.vector <=> $1::text::vector) AS similarity FROM lamina.embeddings v ORDER BY v.vector <=> $1::text::vector LIMIT ${RESULTS}`;

export async function measureHnsw(
  driver: PostgresDriver,
  embedder: NearbyEmbedder,
  asker: Asker,
  questions: readonly string[],
): Promise<HnswFigures> {
  const engine = await PostgresEngine.open({ driver, clock: systemClock, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const scope = scopeOf('user', { userId: asker.userId });
  const partitions = (['semantic', 'episodic'] as const).map((kind) =>
    partitionOf({ scope, kind, visibility: 'private', ownerId: asker.userId }),
  );
  const space = await embedder.space();
  const exact = new Samples();
  const shares: number[] = [];
  const connection = await driver.reserve();
  // The index answers what is ordered by a cast of the column; this orders by the column itself.
  await connection.query("SET max_parallel_workers_per_gather = 2; SET statement_timeout = '120s'");
  for (const question of questions) {
    const [vector = new Float32Array()] = await embedder.embed([question]);
    const near = await engine.entries.transaction(asker, (tx) =>
      tx.nearest({ partitions }, { space, vector }, RESULTS),
    );
    let truth: number[] = [];
    await exact.block([vector], async () => {
      truth = await nearestOf(connection, vector);
    });
    const tenth = Number(truth.at(-1)) - TIE;
    shares.push(near.filter(({ similarity }) => similarity >= tenth).length / truth.length);
  }
  connection.release();
  const lamina = await Lamina.open({ engine, embedder });
  const memory = lamina.as(asker);
  const modes = [];
  for (const mode of ['semantic', 'keyword', 'hybrid'] as const) {
    const search = (query: string): Promise<unknown> => memory.search({ query, mode, limit: RESULTS, threshold: 0 });
    await new Samples().block(questions, search);
    const samples = new Samples();
    await samples.block(questions, search);
    modes.push({ mode, figures: samples.figures(1) });
  }
  await lamina.close();
  const recall = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return { recall, leastRecall: Math.min(...shares), modes, exact: exact.figures(1) };
}

async function nearestOf(connection: PostgresConnection, vector: Float32Array): Promise<number[]> {
  const { rows } = await connection.query<{ similarity: number }>(EXACT, [vectorText(vector)]);
  return rows.map(({ similarity }) => similarity);
}
