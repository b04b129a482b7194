/** Asks again every so often, as long as somebody looks. */

import { useEffect, useRef } from 'preact/hooks';
import type { Answer } from '../../api/use-answer.ts';

/** Waits for an answer that is on its way: a slow service is not asked faster than it answers. */
export function useRefresh(answer: Answer<unknown>, everyMs: number): void {
  const latest = useRef(answer);
  latest.current = answer;
  useEffect(() => {
    const timer = window.setInterval(() => {
      const { isLoading, error, reload } = latest.current;
      if (!document.hidden && !isLoading && error?.code !== 'FORBIDDEN') reload();
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
}
