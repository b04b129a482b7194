/** Asks again every so often, as long as somebody looks. */

import { useEffect, useRef } from 'preact/hooks';
import type { Answer } from './use-answer.ts';

export type Refreshed = Pick<Answer<unknown>, 'isLoading' | 'error' | 'reload'>;

/** Waits for an answer that is on its way: a slow service is not asked faster than it answers. */
export function useRefresh(answers: readonly Refreshed[], everyMs: number, isOn = true): void {
  const latest = useRef(answers);
  latest.current = answers;
  useEffect(() => {
    if (!isOn) return;
    const timer = window.setInterval(() => {
      if (document.hidden) return;
      for (const answer of latest.current) if (isDue(answer)) answer.reload();
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs, isOn]);
}

/** What failed is asked for again by the panel that says so, at its own pace. */
function isDue({ isLoading, error }: Refreshed): boolean {
  return !isLoading && error === undefined;
}
