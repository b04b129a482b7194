/** The map from the service: asked for again while it is computed, and from time to time for a newer one. */

import { useEffect, useState } from 'preact/hooks';
import { asLaminaError, type LaminaError } from '../../../../src/domain/error.ts';
import type { MapOutput, MapPoints } from '../../../../src/domain/inspection.ts';
import { ask, isAborted } from '../../api/ask.ts';
import { lastChange } from '../../api/changes.ts';
import { identifiersOf } from '../../api/scope.ts';
import { principalKey } from '../../api/session.ts';

const COMPUTING_MS = 1000;
const STALE_MS = 3000;
const RESTING_MS = 30_000;

export interface MapState {
  /** The newest that there are: they stay while newer ones are computed. */
  readonly points: MapPoints | undefined;
  /** What the service said last. */
  readonly last: Omit<MapOutput, 'points'> | undefined;
  readonly error: LaminaError | undefined;
  readonly retry: () => void;
}

type State = Omit<MapState, 'retry'>;

const NOTHING: State = { points: undefined, last: undefined, error: undefined };

export function useMap(includeArchived: boolean): MapState {
  const [state, setState] = useState<State>(NOTHING);
  const [turn, setTurn] = useState(0);
  const identifiers = identifiersOf();
  const key = JSON.stringify([identifiers, includeArchived, principalKey.value]);
  const change = lastChange.value.number;
  useEffect(() => setState(NOTHING), [key]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: number | undefined;
    let since: string | undefined;
    const load = async (): Promise<void> => {
      try {
        const { points, ...last } = await ask(
          (memory) =>
            memory.map({
              ...(identifiers !== undefined && { identifiers }),
              ...(includeArchived && { includeArchived }),
              ...(since !== undefined && { since }),
            }),
          signal,
        );
        if (signal.aborted) return;
        if (points !== undefined) since = last.computedAt;
        setState((before) => ({ points: points ?? before.points, last, error: undefined }));
        timer = window.setTimeout(
          () => void load(),
          last.status === 'computing' ? COMPUTING_MS : last.isStale ? STALE_MS : RESTING_MS,
        );
      } catch (thrown) {
        if (isAborted(thrown) || signal.aborted) return;
        setState((before) => ({ ...before, error: asLaminaError(thrown) }));
      }
    };
    void load();
    return () => {
      controller.abort();
      window.clearTimeout(timer);
    };
  }, [key, change, turn]);
  return { ...state, retry: () => setTurn((before) => before + 1) };
}
