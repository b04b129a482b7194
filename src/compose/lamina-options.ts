/** The options of `Lamina.open`. */

import { LaminaError } from '../domain/error.ts';
import type { LifecycleOptions } from '../domain/lifecycle-policy.ts';
import type { Limits } from '../domain/limits.ts';
import type { Quarantine } from '../domain/quarantine.ts';
import type { Ranking } from '../domain/ranking.ts';
import type { RerankPolicy } from '../domain/reranking.ts';
import type { TurnPolicy } from '../domain/turn.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Embedder, EmbedderSettings } from '../ports/embedder.ts';
import type { Engine } from '../ports/engine.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { MasterKey } from '../ports/master-key.ts';
import type { Reranker } from '../ports/reranker.ts';
import type { Telemetry, Tracing } from '../ports/telemetry.ts';
import { didYouMean } from './nearest-name.ts';
import { assertPorts } from './option-ports.ts';
import type { QdrantOptions } from './qdrant-options.ts';
import type { RedisFallback } from './redis-options.ts';

export interface LaminaOptions {
  /** The data folder. Default `./lamina-data`. */
  readonly folder?: string;
  /** Instead of a folder, an address: `postgres://…`, `pglite:FOLDER` or `sqlite:FOLDER`. */
  readonly database?: string;
  /**
   * MiB at most in which searches keep what they have read, for all tenants together. Default: 1/32 of the memory of the
   * machine or container, but 256 to 1024.
   */
  readonly searchMemoryMib?: number | undefined;
  /** Redis for working and short-term memory: `redis://…` or `rediss://…`. Default: they are stored in the database. */
  readonly redis?: string | undefined;
  /** The fallback while Redis cannot be reached. Default `none`: calls fail, and so does opening. */
  readonly redisFallback?: RedisFallback | undefined;
  /** The prefix of keys in Redis. Databases that share a Redis need different ones. Default `lamina`. */
  readonly redisPrefix?: string | undefined;
  /** Qdrant as the vector index. Default: the database's own. */
  readonly qdrant?: QdrantOptions | undefined;
  /** Text to vectors. Default: all-MiniLM-L6-v2 on this machine, without network. It is cached either way. */
  readonly embedder?: Embedder;
  /** Creates the model that the database names, if it was changed to one other than `embedder`. Default: local ones only. */
  readonly embedderFor?: ((settings: EmbedderSettings) => Embedder | undefined) | undefined;
  /** Uses `embedder` whatever the database names: to compare models, not to write. Default: the database decides. */
  readonly isModelFixed?: boolean | undefined;
  /** Wraps the keys that encrypt what is stored. Default: none, and nothing is encrypted. See docs/encryption.md. */
  readonly masterKey?: MasterKey | undefined;
  /**
   * An engine that is already open. Default: what `database` or `folder` names. `close()` closes it too; if opening fails
   * it is left open.
   */
  readonly engine?: Engine;
  readonly limits?: Partial<Limits>;
  /** Decay, consolidation and the clean-up of sessions. Default: all off. */
  readonly lifecycle?: LifecycleOptions;
  /** What may go into the prompt of a turn. Default: what is public or internal. */
  readonly turn?: Partial<TurnPolicy>;
  /** Which text from tools and from outside waits for review. Default: what reads like instructions to a model. */
  readonly quarantine?: Quarantine;
  /** Which signals the ranking of a search uses. Default: all. */
  readonly ranking?: Partial<Ranking>;
  /** Writes summaries, and extracts from conversations. Default: none, and texts are stored verbatim. Closed with the rest. */
  readonly languageModel?: LanguageModel | undefined;
  /** Reranks search results. Default: none. Closed with the rest. */
  readonly reranker?: Reranker | undefined;
  /** How many memories it reads, how long a search waits for it, and what it may see. */
  readonly reranking?: Partial<RerankPolicy> | undefined;
  /** Receives telemetry. Default: the meter provider that the program has registered with OpenTelemetry, if any. */
  readonly telemetry?: Telemetry;
  /** Where spans go. Default: the tracer provider that the program has registered, if any; it may also come later. */
  readonly tracing?: Tracing;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

const NAMES: { readonly [name in keyof Required<LaminaOptions>]: true } = {
  folder: true,
  database: true,
  searchMemoryMib: true,
  redis: true,
  redisFallback: true,
  redisPrefix: true,
  qdrant: true,
  embedder: true,
  embedderFor: true,
  isModelFixed: true,
  masterKey: true,
  engine: true,
  limits: true,
  lifecycle: true,
  turn: true,
  quarantine: true,
  ranking: true,
  languageModel: true,
  reranker: true,
  reranking: true,
  telemetry: true,
  tracing: true,
  clock: true,
  ids: true,
};

/** Throws `CONFIGURATION_ERROR` for options that would put the memory in the wrong place, or could not be used. */
export function assertOptions(options: LaminaOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new LaminaError('CONFIGURATION_ERROR', "Lamina.open takes an object, such as { folder: './memory' }.");
  }
  if (options.folder === '') {
    throw new LaminaError('CONFIGURATION_ERROR', "The folder is empty; give one, such as { folder: './memory' }.");
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(NAMES, name));
  if (unknown !== undefined) {
    const known = Object.keys(NAMES);
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      `Lamina.open has no option ${JSON.stringify(unknown)}.${didYouMean(unknown, known)} It takes ${known.join(', ')}.`,
    );
  }
  assertPorts(options);
}
