/** Asks before something is done that matters. `if (await confirm({ … })) …` */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { Dialog } from '../components/dialog.tsx';

interface Question {
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly text: string;
  /** What the button says: the deed, such as "Archive". */
  readonly action: string;
  readonly isDangerous?: boolean;
}

interface Pending extends Question {
  readonly answer: (isConfirmed: boolean) => void;
}

const pending = signal<Pending | undefined>(undefined);

export function confirm(question: Question): Promise<boolean> {
  pending.value?.answer(false);
  return new Promise((resolve) => {
    pending.value = {
      ...question,
      answer: (isConfirmed) => {
        pending.value = undefined;
        resolve(isConfirmed);
      },
    };
  });
}

export function ConfirmDialog(): VNode | null {
  const question = pending.value;
  if (question === undefined) return null;
  return (
    <Dialog title={question.title} onClose={() => question.answer(false)}>
      <p>{question.text}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => question.answer(false)}>
          Cancel
        </button>
        <button
          type="button"
          class={question.isDangerous === true ? 'button button-danger' : 'button button-primary'}
          onClick={() => question.answer(true)}
        >
          {question.action}
        </button>
      </div>
    </Dialog>
  );
}
