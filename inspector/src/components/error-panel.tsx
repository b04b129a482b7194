/** Says what went wrong, what to do about it, and by which id the log of the service knows it. */

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LaminaError } from '../../../src/domain/error.ts';
import { requestIdOf } from '../api/ask.ts';
import { CopyButton } from './copy-button.tsx';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function ErrorPanel({ error, onRetry }: ErrorPanelProps): VNode {
  const { code, message, advice, requestId } = told(error);
  const seconds = useRetries(error, onRetry);
  return (
    <div class="error-panel" role="alert">
      <p class="error-title">
        <span class="code">{code}</span> {message}
      </p>
      {seconds === undefined && <p>{advice}</p>}
      <div class="error-foot" aria-live="off">
        {onRetry !== undefined && (
          <button type="button" class="button" onClick={onRetry}>
            Try again
          </button>
        )}
        {seconds !== undefined && <span class="quiet numeric">Tries again by itself in {seconds} s.</span>}
        {requestId !== undefined && (
          <span class="quiet">
            Request <code>{requestId}</code> <CopyButton text={requestId} label="Copy the request id" />
          </span>
        )}
      </div>
    </div>
  );
}

const FIRST_WAIT_SECONDS = 2;
const LONGEST_WAIT_SECONDS = 30;

/** What passes by itself is asked for again, each time a little later; answers with the seconds until then. */
function useRetries(error: unknown, onRetry: (() => void) | undefined): number | undefined {
  const [left, setLeft] = useState<number | undefined>(undefined);
  const latest = useRef(onRetry);
  latest.current = onRetry;
  const turn = useRef(0);
  const canRetry = onRetry !== undefined;
  useEffect(() => {
    if (!canRetry || !isPassing(error)) return;
    let seconds = waitOf(error, turn.current);
    turn.current += 1;
    setLeft(seconds);
    const timer = window.setInterval(() => {
      if (document.hidden) return;
      seconds -= 1;
      setLeft(Math.max(1, seconds));
      if (seconds <= 0) {
        window.clearInterval(timer);
        latest.current?.();
      }
    }, 1000);
    return () => {
      window.clearInterval(timer);
      setLeft(undefined);
    };
  }, [error, canRetry]);
  return left;
}

function isPassing(error: unknown): error is LaminaError {
  return error instanceof LaminaError && (error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED');
}

/** As long as the service asks for, where it does. */
function waitOf({ details }: LaminaError, turn: number): number {
  const asked = Number(details?.['retryAfterMs']);
  if (asked > 0) return Math.ceil(asked / 1000);
  return Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** turn);
}

function told(error: unknown): { code: string; message: string; advice: string; requestId?: string | undefined } {
  if (error instanceof LaminaError) {
    const { code, message, advice } = error;
    return { code, message, advice, requestId: requestIdOf(error) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INSPECTOR', message, advice: 'This is a mistake of the inspector itself. Load the page again.' };
}
