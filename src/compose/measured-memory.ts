/** Memory in this process as it comes, beside it the same memory without what its ranking adds; with a clock to be set. */

import type { PrincipalInput } from '../domain/principal.ts';
import { DEFAULT_RANKING, type Ranking } from '../domain/ranking.ts';
import type { Memory } from '../operations/memory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Calibration, Embedder, EmbeddingSpace } from '../ports/embedder.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { databaseAddress } from './database-address.ts';
import { embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { Lamina } from './lamina.ts';
import { systemClock } from './system.ts';

/** Words and meaning alone. */
const PLAIN: Ranking = {
  neighbours: false,
  speakers: false,
  sessions: false,
  times: false,
  manner: false,
  best: false,
};

/** What is measured must not fail because somebody else's data has a long turn. */
const CONTENT_LENGTH = 1_000_000;

export interface MeasuredMemory {
  readonly engine: string;
  readonly ranking: Ranking;
  readonly space: EmbeddingSpace;
  readonly calibration: Calibration;
  as(principal: PrincipalInput): Memory;
  /** Over the same entries. */
  plainAs(principal: PrincipalInput): Memory;
  /** Milliseconds: from now on it is that time. */
  setNow(now: number): void;
  /** How long the model has worked since this was last asked, in milliseconds. */
  takeEmbeddingMs(): number;
  close(): Promise<void>;
}

/** Throws `CONFIGURATION_ERROR`, `EMBEDDING_FAILED` and `UNAVAILABLE`, and then holds on to nothing. */
export async function openMeasuredMemory(
  configuration: Configuration,
  embedder: Embedder = embedderOf(configuration, hostTracing()),
): Promise<MeasuredMemory> {
  let now = Date.now();
  let embeddingMs = 0;
  const clock: Clock = { now: () => now, sleep: (ms) => systemClock.sleep(ms) };
  const telemetry = {
    operationEnded: () => {},
    embeddingEnded: ({ durationMs }: { durationMs: number }) => {
      embeddingMs += durationMs;
    },
  };
  const engine = await openEngine(configuration, clock);
  try {
    const [space, calibration] = await Promise.all([embedder.space(), embedder.calibration()]);
    const limits = { ...configuration.limits, contentLength: CONTENT_LENGTH };
    const options = { engine, embedder, limits, clock, telemetry };
    const lamina = await Lamina.open(options);
    // Has nothing of its own that had to be closed.
    const plain = await Lamina.open({ ...options, ranking: PLAIN });
    return {
      engine: databaseAddress(configuration.databaseUrl)?.engine ?? 'unknown',
      ranking: DEFAULT_RANKING,
      space,
      calibration,
      as: (principal) => lamina.as(principal),
      plainAs: (principal) => plain.as(principal),
      setNow: (time) => {
        now = time;
      },
      takeEmbeddingMs: () => {
        const taken = embeddingMs;
        embeddingMs = 0;
        return taken;
      },
      close: () => lamina.close(),
    };
  } catch (error) {
    await engine.close();
    await embedder.close();
    throw error;
  }
}
