/** What the use cases need from outside. */

import type { Limits } from '../domain/limits.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Engine } from '../ports/entry-store.ts';

export interface Dependencies {
  readonly engine: Engine;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: Limits;
}
