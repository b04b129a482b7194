/**
 * The embedder of a process whose database may name another model, or be changing it. On use, it asks the database again
 * after a second; an answer from a moment ago is still valid, because the former space is kept.
 */

import { LaminaError } from '../../domain/error.ts';
import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace, ModelsInUse } from '../../ports/embedder.ts';
import type { SpacesInUse, SpaceStore, UsedSpace } from '../../ports/space-store.ts';
import { tellingsOf } from '../text/own-person.ts';
import { isSameModel, isSameSpace, modelName } from './same-space.ts';

/** An embedder that may know what it last failed with. */
export interface WatchedEmbedder extends Embedder {
  readonly failure?: string | undefined;
}

export interface ChangingEmbedderOptions {
  readonly spaces: Pick<SpaceStore, 'read'>;
  /** The model of the configuration: the one in use as long as the database names no other. */
  readonly configured: WatchedEmbedder;
  /** Makes another one; undefined where nobody here knows how. May throw `CONFIGURATION_ERROR`. */
  readonly make: (settings: EmbedderSettings) => WatchedEmbedder | undefined;
  /** Called once for each thing that the operator should know. */
  readonly warn: (message: string) => void;
}

/** How long the database's answer is cached. A space is dropped only after longer than that. */
export const FRESH_MS = 1000;

interface Known {
  readonly state: SpacesInUse | undefined;
  readonly active: WatchedEmbedder;
  readonly other: WatchedEmbedder | undefined;
}

export class ChangingEmbedder implements WatchedEmbedder {
  readonly #options: ChangingEmbedderOptions;
  /** Those that were made here, by what the database calls them. */
  readonly #made = new Map<string, WatchedEmbedder>();
  readonly #warned = new Set<string>();
  #known: Known | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Known> | undefined;

  constructor(options: ChangingEmbedderOptions) {
    this.#options = options;
  }

  get settings(): EmbedderSettings | undefined {
    return this.#active.settings;
  }

  get failure(): string | undefined {
    return this.#active.failure;
  }

  /** Throws `CONFIGURATION_ERROR` where the database names a model that cannot be had here. */
  async inUse({ anew = false }: { readonly anew?: boolean } = {}): Promise<ModelsInUse> {
    const { state, active, other } = (anew ? undefined : this.#fresh) ?? (await this.#current(anew));
    return { active, other, needsOther: state?.isSwitching === true };
  }

  /** What should be known of which model is in use, and is not as the configuration has it. Throws as {@link inUse}. */
  async notice(): Promise<string | undefined> {
    const { state, active } = await this.#current(false);
    if (state === undefined) return undefined;
    const notes = [
      active === this.#options.configured ? [] : [notConfigured(state)],
      state.phase === 'filling' && state.other ? [`The model is being changed to ${modelName(state.other)}.`] : [],
    ];
    return notes.flat().join(' ') || undefined;
  }

  async space(): Promise<EmbeddingSpace> {
    return (await this.inUse()).active.space();
  }

  async calibration(text?: string): Promise<Calibration> {
    return (await this.inUse()).active.calibration(text);
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return (await this.inUse()).active.embed(texts);
  }

  forget(texts: readonly string[]): void {
    // Whoever forgets a text does not know in whose memory it was, and so how it was told.
    const tellings = texts.flatMap(tellingsOf);
    for (const embedder of this.#all()) embedder.forget(tellings);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((embedder) => embedder.close()));
  }

  get #active(): WatchedEmbedder {
    return this.#known?.active ?? this.#options.configured;
  }

  #all(): WatchedEmbedder[] {
    return [this.#options.configured, ...this.#made.values()];
  }

  /** What was read a moment ago. */
  get #fresh(): Known | undefined {
    return this.#known && performance.now() - this.#readAt < FRESH_MS ? this.#known : undefined;
  }

  /** Concurrent callers share one query. */
  async #current(anew: boolean): Promise<Known> {
    const fresh = anew ? undefined : this.#fresh;
    if (fresh) return fresh;
    // What is being read may have been read before what made somebody ask anew.
    if (anew) await this.#reading?.catch(() => {});
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<Known> {
    const askedAt = performance.now();
    const state = await this.#options.spaces.read();
    const isSame = this.#known !== undefined && this.#known.state?.revision === state?.revision;
    const known = isSame && this.#known ? this.#known : await this.#take(state);
    this.#known = known;
    this.#readAt = askedAt;
    return known;
  }

  async #take(state: SpacesInUse | undefined): Promise<Known> {
    if (state === undefined) return { state, active: this.#options.configured, other: undefined };
    const { active: used, other: beside, phase } = state;
    const active = await this.#embedderOf(used);
    if (active !== this.#options.configured) this.#warn(notConfigured(state));
    const isWritten = beside !== undefined && phase !== 'dropping';
    const other = isWritten
      ? await this.#embedderOf(beside).catch((error: unknown) => this.#lacking(error))
      : undefined;
    // It may have to be loaded and measured, for which no search should wait once it is the active one.
    other?.calibration().catch(() => {});
    return { state, active, other };
  }

  async #embedderOf(used: UsedSpace): Promise<WatchedEmbedder> {
    const { configured, make } = this.#options;
    if (await isModelOf(configured, used)) return configured;
    const key = JSON.stringify([used.settings, used.space]);
    const found = this.#made.get(key) ?? make(used.settings);
    if (found === undefined) {
      throw new LaminaError(
        'CONFIGURATION_ERROR',
        `The database is embedded by ${modelName(used)}, which this program does not know. Open it with that model.`,
      );
    }
    this.#made.set(key, found);
    return found;
  }

  #lacking(error: unknown): undefined {
    this.#warn(`Writes go to one embedding space only: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#options.warn(message);
  }
}

function notConfigured({ active }: SpacesInUse): string {
  return `The database is embedded by ${modelName(active)}, which is used instead of the configured model. Configure that one.`;
}

/** By its settings, which are known at once, where it has any. */
async function isModelOf(embedder: Embedder, used: UsedSpace): Promise<boolean> {
  if (embedder.settings !== undefined) return isSameModel(embedder.settings, used.settings);
  return isSameSpace(await embedder.space(), used.space);
}
