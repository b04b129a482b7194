/** Keeping what is shown up to date while somebody looks at it. */

import { useEffect, useRef } from 'preact/hooks';
import { following } from '../../api/ask.ts';
import { principalKey } from '../../api/session.ts';

/** Calls whenever a value of the pool changes. What ends the stream for good ends the following too. */
export function usePoolChanges(poolId: string, run: (key: string) => void): void {
  const latest = useRef(run);
  latest.current = run;
  const who = principalKey.value;
  useEffect(() => {
    const controller = new AbortController();
    const follow = async (): Promise<void> => {
      const changes = following().pools.follow({ poolId, signal: controller.signal });
      for await (const { key } of changes) latest.current(key);
    };
    follow().catch(() => undefined);
    return () => controller.abort();
  }, [poolId, who]);
}

/**
 * Which keys have another version than when they were last drawn, for as long as a moment. The first time none has: everything
 * would be new.
 */
export function useFresh(items: readonly { readonly key: string; readonly version: number }[]): ReadonlySet<string> {
  const known = useRef<ReadonlyMap<string, number> | undefined>(undefined);
  const fresh = useRef<ReadonlySet<string>>(new Set());
  const now = new Map(items.map(({ key, version }) => [key, version]));
  const before = known.current;
  if (before !== undefined) {
    const changed = items.filter(({ key, version }) => before.get(key) !== version).map(({ key }) => key);
    if (changed.length > 0) fresh.current = new Set(changed);
  }
  useEffect(() => {
    known.current = now;
  });
  return fresh.current;
}
