/** What keeping an index beside the store takes. */

import type { Archive } from '../../ports/archive.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { EventLog } from '../../ports/event-log.ts';
import type { Upkeep } from '../../ports/upkeep.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';

export interface IndexNeeds {
  readonly index: VectorIndex;
  readonly embedder: Pick<Embedder, 'space'>;
  readonly upkeep: Pick<Upkeep, 'changes' | 'points' | 'countPoints'>;
  readonly events: Pick<EventLog, 'head' | 'watchAll'>;
  readonly archive: Pick<Archive, 'read'>;
  readonly clock: Clock;
  readonly ids: Ids;
}
