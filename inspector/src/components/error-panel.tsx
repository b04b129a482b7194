/** Says what went wrong, what to do about it, and by which id the log of the service knows it. */

import type { VNode } from 'preact';
import { LaminaError } from '../../../src/domain/error.ts';
import { requestIdOf } from '../api/ask.ts';
import { CopyButton } from './copy-button.tsx';

interface ErrorPanelProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function ErrorPanel({ error, onRetry }: ErrorPanelProps): VNode {
  const { code, message, advice, requestId } = told(error);
  return (
    <div class="error-panel" role="alert">
      <p class="error-title">
        <span class="code">{code}</span> {message}
      </p>
      <p>{advice}</p>
      <div class="error-foot">
        {onRetry !== undefined && (
          <button type="button" class="button" onClick={onRetry}>
            Try again
          </button>
        )}
        {requestId !== undefined && (
          <span class="quiet">
            Request <code>{requestId}</code> <CopyButton text={requestId} label="Copy the request id" />
          </span>
        )}
      </div>
    </div>
  );
}

function told(error: unknown): { code: string; message: string; advice: string; requestId?: string | undefined } {
  if (error instanceof LaminaError) {
    const { code, message, advice } = error;
    return { code, message, advice, requestId: requestIdOf(error) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INSPECTOR', message, advice: 'This is a mistake of the inspector itself. Load the page again.' };
}
