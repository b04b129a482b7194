/** Short messages at the edge: what was done, with a way back where there is one. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { asLaminaError } from '../../../src/domain/error.ts';
import { Icon } from '../components/icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'done' | 'failed';
  readonly undo?: (() => Promise<void>) | undefined;
}

const SHOWN_MS = 8000;

const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Says that something was done; with `undo` it can be taken back for a while. */
export function toast(text: string, undo?: () => Promise<void>): void {
  show({ text, tone: 'done', undo });
}

/** Says that something failed, where there is no better place to say it. */
export function toastError(thrown: unknown): void {
  const error = asLaminaError(thrown);
  show({ text: `${error.message} ${error.advice}`, tone: 'failed' });
}

function show(message: Omit<Toast, 'id'>): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value, { id, ...message }].slice(-3);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((other) => other.id !== id);
}

async function takeBack({ id, undo }: Toast): Promise<void> {
  dismiss(id);
  try {
    await undo?.();
    toast('Undone.');
  } catch (thrown) {
    toastError(thrown);
  }
}

export function Toasts(): VNode {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((one) => (
        <div class={`toast toast-${one.tone}`} key={one.id}>
          <span>{one.text}</span>
          {one.undo !== undefined && (
            <button type="button" class="button button-small" onClick={() => void takeBack(one)}>
              Undo
            </button>
          )}
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => dismiss(one.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
