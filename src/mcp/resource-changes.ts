/** Notifies subscribers of resources that memories have changed, by following the event log while there are any. */

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { asLaminaError, type LaminaError } from '../domain/error.ts';
import type { Event } from '../domain/event.ts';
import { pause } from '../domain/pause.ts';
import { LAYERS } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { entryUri, layerUri, RECENT_URI } from './resource-uri.ts';
import type { ReportFailure } from './tool-answer.ts';

/** The method by which a client of 2026 subscribes. */
export const LISTEN_METHOD = 'subscriptions/listen';

type Listener = (event: ServerEvent) => void;

/** Delay before a failed log is followed again. */
const RETRY_MS = 1000;

/** Per principal: nobody is notified about memories that they cannot see. */
export class ResourceChanges implements ServerEventBus {
  readonly #memory: Memory;
  readonly #report: ReportFailure;
  readonly #listeners = new Set<Listener>();
  /** How far the log has been followed. */
  #position: string | undefined;
  #following: AbortController | undefined;

  constructor(memory: Memory, report: ReportFailure) {
    this.#memory = memory;
    this.#report = report;
  }

  /** Once this has resolved, nothing is missed. Await it before telling a client that it is subscribed. */
  async begin(): Promise<void> {
    try {
      this.#position ??= (await this.#memory.events.position({})).position;
    } catch (thrown) {
      this.#report(asLaminaError(thrown, 'events.position'));
    }
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#following === undefined) void this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#following?.abort();
    this.#following = undefined;
    this.#position = undefined;
  }

  async #follow(): Promise<void> {
    const following = new AbortController();
    const { signal } = following;
    this.#following = following;
    while (!signal.aborted) {
      try {
        const after = this.#position;
        for await (const event of this.#memory.events.follow({ signal, ...(after !== undefined && { after }) })) {
          this.#position = event.id;
          for (const change of changesOf(event)) this.publish(change);
        }
      } catch (thrown) {
        if (!signal.aborted) this.#failed(asLaminaError(thrown, 'events.follow'));
      }
      await pause(RETRY_MS, signal);
    }
  }

  #failed(error: LaminaError): void {
    this.#report(error);
    if (error.code !== 'VALIDATION_FAILED') return;
    // The log no longer reaches back that far, or is a different one: the gap is unknown, so follow from now.
    this.#position = undefined;
    for (const change of ANYTHING) this.publish(change);
  }
}

const updated = (uri: string): ServerEvent => ({ kind: 'resource_updated', uri });

/** An event does not name the layer, so every layer counts as changed. */
const LISTS = [RECENT_URI, ...LAYERS.map(layerUri)].map(updated);
const ANYTHING: readonly ServerEvent[] = [...LISTS, { kind: 'resources_list_changed' }];

function changesOf({ type, memoryId }: Event): ServerEvent[] {
  return [updated(entryUri(memoryId)), ...(type === 'updated' ? LISTS : ANYTHING)];
}
