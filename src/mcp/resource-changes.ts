/** Tells who subscribed to resources that memories have changed, by the log of events and only while somebody listens. */

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { asLaminaError } from '../domain/error.ts';
import type { Event } from '../domain/event.ts';
import { pause } from '../domain/pause.ts';
import { LAYERS } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { entryUri, layerUri, RECENT_URI } from './resource-uri.ts';
import type { ReportFailure } from './tool-answer.ts';

/** By which a client of 2026 asks to be told. */
export const LISTEN_METHOD = 'subscriptions/listen';

type Listener = (event: ServerEvent) => void;

/** Before the log is asked again, when it could not be followed. */
const RETRY_MS = 1000;

/** Of one principal: nobody is told of what happens to memories that are out of their sight. */
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

  /** Once this has resolved nothing is missed any more. To be awaited before a client is told that it is subscribed. */
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
        if (!signal.aborted) this.#report(asLaminaError(thrown, 'events.follow'));
      }
      await pause(RETRY_MS, signal);
    }
  }
}

/** An event does not say in which layer: whoever follows one looks again. */
function changesOf({ type, memoryId }: Event): ServerEvent[] {
  const uris = [entryUri(memoryId), RECENT_URI, ...LAYERS.map(layerUri)];
  const updated = uris.map((uri): ServerEvent => ({ kind: 'resource_updated', uri }));
  return type === 'updated' ? updated : [...updated, { kind: 'resources_list_changed' }];
}
