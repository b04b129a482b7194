/** Tells who subscribed to resources that memories have changed, by the log of events and only while somebody listens. */

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { asLaminaError } from '../domain/error.ts';
import type { Event } from '../domain/event.ts';
import { LAYERS } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { entryUri, layerUri, RECENT_URI } from './resource-uri.ts';
import type { ReportFailure } from './tool-answer.ts';

type Listener = (event: ServerEvent) => void;

/** Of one principal: nobody is told of what happens to memories that are out of their sight. */
export class ResourceChanges implements ServerEventBus {
  readonly #memory: Memory;
  readonly #failed: ReportFailure;
  readonly #listeners = new Set<Listener>();
  #following: AbortController | undefined;

  /** `failed` is told when the log can be followed no further; then nobody is told of anything any more. */
  constructor(memory: Memory, failed: ReportFailure) {
    this.#memory = memory;
    this.#failed = failed;
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Begins with what happens from now on. */
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
  }

  async #follow(): Promise<void> {
    const following = new AbortController();
    this.#following = following;
    try {
      for await (const event of this.#memory.events.follow({ signal: following.signal })) {
        for (const change of changesOf(event)) this.publish(change);
      }
    } catch (thrown) {
      if (!following.signal.aborted) this.#failed(asLaminaError(thrown, 'events.follow'));
    }
  }
}

/** An event does not say in which layer: whoever follows one looks again. */
function changesOf({ type, memoryId }: Event): ServerEvent[] {
  const uris = [entryUri(memoryId), RECENT_URI, ...LAYERS.map(layerUri)];
  const updated = uris.map((uri): ServerEvent => ({ kind: 'resource_updated', uri }));
  return type === 'updated' ? updated : [...updated, { kind: 'resources_list_changed' }];
}
