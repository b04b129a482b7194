/** Asks for the name of what is to be erased to be typed: this is the one thing that nothing brings back. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Receipt } from '../../../../src/domain/erasure.ts';
import { ask } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { go } from '../../app/location.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { TextField } from '../../components/fields.tsx';
import { erasureHref } from './addresses.ts';
import { keepReceipt } from './kept-receipts.ts';

export interface Subject {
  readonly type: 'user' | 'tenant';
  readonly id: string;
}

function erase({ type, id }: Subject): Promise<Receipt> {
  return ask((memory) =>
    type === 'user' ? memory.admin.eraseUser({ userId: id }) : memory.admin.eraseTenant({ tenantId: id }),
  );
}

interface EraseDialogProps {
  readonly subject: Subject;
  readonly onClose: () => void;
}

export function EraseDialog({ subject, onClose }: EraseDialogProps): VNode {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const isSame = typed === subject.id;
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const receipt = await erase(subject);
      keepReceipt(receipt, subject);
      onClose();
      go(erasureHref(receipt.erasureId));
      changed();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const whom = subject.type === 'user' ? 'this user' : 'this tenant, with everybody in it';
  return (
    <Dialog title={`Erase ${subject.type} ${subject.id}?`} onClose={() => !isBusy && onClose()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSame && !isBusy) void run();
        }}
      >
        <p>
          Everything of {whom} is deleted for good. <b>There is no way back</b>, other than from a backup. To go on,
          type <code class="to-type">{subject.id}</code>.
        </p>
        <TextField label={`Type the id of the ${subject.type}`} value={typed} onInput={setTyped} />
        {error !== undefined && <ErrorPanel error={error} />}
        <div class="dialog-actions">
          <button type="button" class="button" disabled={isBusy} onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-danger" disabled={!isSame || isBusy}>
            {isBusy ? 'Erasing…' : 'Erase for good'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
