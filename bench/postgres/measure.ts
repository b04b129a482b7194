/** Searches on PostgreSQL: through Lamina, as bare statements behind the policies, and with the policies spelled out. */

import { Lamina } from '../../src/compose/lamina.ts';
import { systemClock } from '../../src/compose/system.ts';
import type { PostgresConnection, PostgresDriver } from '../../src/engines/postgres/postgres-driver.ts';
import { PostgresEngine } from '../../src/engines/postgres/postgres-engine.ts';
import type { BenchEmbedder } from '../bench-embedder.ts';
import { Samples, type Figures } from '../statistics.ts';
import { withPlainWhere } from './plain-where.ts';
import { StatementRecorder, type Asked } from './statement-recorder.ts';

export interface Question {
  readonly tenantId: string;
  readonly userId: string;
  readonly query: string;
}

export interface SearchFigures {
  readonly lamina: Figures;
  /** The same statements with nothing of Lamina's around them: behind the policies, and with a plain WHERE. */
  readonly policies: Figures;
  readonly plain: Figures;
  readonly statements: number;
}

const RESULTS = 10;
const STATEMENT_TIMEOUT_MS = 60_000;

const ENTER = `
  SELECT set_config('role', $3, true), set_config('app.current_tenant', $1, true), set_config('app.current_user', $2, true),
         set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)`;

type Search = (question: Question) => Promise<unknown>;

interface Planned extends Question {
  readonly asked: readonly Asked[];
  readonly plain: readonly Asked[];
}

/** `driver` connects as a superuser, who may act as anybody and is bound by no policy. */
export async function measureSearch(
  driver: PostgresDriver,
  embedder: BenchEmbedder,
  questions: readonly Question[],
  rounds: number,
): Promise<SearchFigures> {
  const recorder = new StatementRecorder(driver);
  const options = { clock: systemClock, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const searching = async (by: PostgresDriver, remembersSearches: boolean): Promise<Search> => {
    const engine = await PostgresEngine.open({ driver: by, ...options, remembersSearches });
    const lamina = await Lamina.open({ engine, embedder });
    return ({ query, ...principal }) => lamina.as(principal).search({ query, limit: RESULTS, threshold: 0 });
  };
  const search = await searching(driver, true);
  // SQL alone remembers nothing of earlier searches.
  const recorded = await searching(recorder.driver, false);
  const planned: Planned[] = [];
  for (const { tenantId, userId, query } of questions) {
    const question = { tenantId, userId, query };
    const asked = await recorder.record(() => recorded(question));
    const plain = asked.map((each) => ({ ...each, sql: withPlainWhere(each.sql, tenantId, userId) }));
    planned.push({ ...question, asked, plain });
  }
  const connection = await driver.reserve();
  let sides = { lamina: new Samples(), policies: new Samples(), plain: new Samples() };
  for (let round = 0; round <= rounds; round += 1) {
    await sides.lamina.block(planned, ({ tenantId, userId, query }) => search({ tenantId, userId, query }));
    await sides.policies.block(planned, (item) => play(connection, item, item.asked, 'lamina_service'));
    await sides.plain.block(planned, (item) => play(connection, item, item.plain, 'none'));
    // The first round is to warm up: plans are made, pages are cached.
    if (round === 0) sides = { lamina: new Samples(), policies: new Samples(), plain: new Samples() };
  }
  connection.release();
  const statements = planned.reduce((sum, { asked }) => sum + asked.length, 0) / planned.length;
  return {
    lamina: sides.lamina.figures(1),
    policies: sides.policies.figures(1),
    plain: sides.plain.figures(1),
    statements,
  };
}

/** Each statement as a transaction of its own in one message, as the engine does it. */
async function play(
  connection: PostgresConnection,
  { tenantId, userId }: Question,
  asked: readonly Asked[],
  role: string,
): Promise<void> {
  for (const { sql, values, settings } of asked) {
    await connection.transact?.([
      { sql: ENTER, values: [tenantId, userId, role] },
      ...(settings === undefined ? [] : [{ sql: settings, values: [] }]),
      { sql, values },
    ]);
  }
}
