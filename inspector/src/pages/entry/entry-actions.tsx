/** What can be done with a memory. Archiving and editing can be undone; forgetting is final. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Entry } from '../../../../src/domain/entry.ts';
import { ask } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { confirm } from '../../app/confirm.tsx';
import { useKeys } from '../../app/keyboard.ts';
import { toast, toastError } from '../../app/toasts.tsx';
import { Icon } from '../../components/icon.tsx';
import { EntryEditor } from './entry-editor.tsx';
import { EntryReview } from './entry-review.tsx';

interface EntryActionsProps {
  readonly memory: Entry;
  readonly onGone: () => void;
}

async function restore({ id }: Entry): Promise<Entry> {
  const { memory } = await ask((api) => api.restore({ id }));
  changed({ id, memory });
  return memory;
}

async function archive({ id }: Entry): Promise<Entry> {
  const { memory } = await ask((api) => api.archive({ id }));
  changed({ id, memory });
  return memory;
}

async function archiveAsked(entry: Entry): Promise<void> {
  const isSure = await confirm({
    title: 'Archive this memory?',
    text: 'Searches and lists leave it out from then on. It can be restored at any time.',
    action: 'Archive',
  });
  if (!isSure) return;
  const archived = await archive(entry);
  toast('Archived.', async () => void (await restore(archived)));
}

async function restoreAsked(entry: Entry): Promise<void> {
  const restored = await restore(entry);
  toast('Restored.', async () => void (await archive(restored)));
}

async function forgetAsked({ id, version }: Entry, onGone: () => void): Promise<void> {
  const isSure = await confirm({
    title: 'Forget this memory for good?',
    text:
      'It is deleted with its versions, vectors and index entries, and so is what was made from nothing but it. ' +
      'This is final: it cannot be undone. To put it away instead, archive it.',
    action: 'Forget for good',
    isDangerous: true,
  });
  if (!isSure) return;
  await ask((api) => api.delete({ id, expectedVersion: version }));
  onGone();
  changed({ id, memory: null });
  toast('Forgotten for good.');
}

export function EntryActions(props: EntryActionsProps): VNode {
  return props.memory.status === 'quarantined' ? <EntryReview {...props} /> : <Actions {...props} />;
}

function Actions({ memory, onGone }: EntryActionsProps): VNode {
  const [isEditing, setEditing] = useState(false);
  const isArchived = memory.status === 'archived';
  const toggle = (): void => void (isArchived ? restoreAsked(memory) : archiveAsked(memory)).catch(toastError);
  const forget = (): void => void forgetAsked(memory, onGone).catch(toastError);
  useKeys('Memory', [
    { keys: ['e'], help: 'Edit', run: () => setEditing(true) },
    { keys: ['x'], help: 'Archive or restore', run: toggle },
    { keys: ['#'], help: 'Forget for good', run: forget },
  ]);
  return (
    <div class="entry-actions">
      <button type="button" class="button" onClick={() => setEditing(true)}>
        <Icon name="edit" /> Edit
      </button>
      <button type="button" class="button" onClick={toggle}>
        <Icon name={isArchived ? 'restore' : 'archive'} /> {isArchived ? 'Restore' : 'Archive'}
      </button>
      <button type="button" class="button button-quiet-danger" onClick={forget}>
        <Icon name="trash" /> Forget
      </button>
      {isEditing && <EntryEditor memory={memory} onClose={() => setEditing(false)} />}
    </div>
  );
}
