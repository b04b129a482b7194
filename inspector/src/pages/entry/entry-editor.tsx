/** Changes a memory. The old version is kept, and undo writes it back as a new one. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Entry } from '../../../../src/domain/entry.ts';
import { SENSITIVITIES } from '../../../../src/domain/kind.ts';
import type { OperationInput } from '../../../../src/operations/table.ts';
import { ask } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { toast } from '../../app/toasts.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Select, TextArea, TextField } from '../../components/fields.tsx';

type Fields = Pick<Entry, 'content' | 'tags' | 'importance' | 'sensitivity'>;

function fieldsOf({ content, tags, importance, sensitivity }: Fields): Fields {
  return { content, tags, importance, sensitivity };
}

async function write(input: OperationInput<'update'>): Promise<Entry> {
  const { memory } = await ask((api) => api.update(input));
  changed({ id: memory.id, memory });
  return memory;
}

interface EntryEditorProps {
  readonly memory: Entry;
  readonly onClose: () => void;
}

export function EntryEditor({ memory, onClose }: EntryEditorProps): VNode {
  const [draft, setDraft] = useState<Fields>(fieldsOf(memory));
  const [tags, setTags] = useState(memory.tags.join(', '));
  const [error, setError] = useState<unknown>(undefined);
  const set = (fields: Partial<Fields>): void => setDraft({ ...draft, ...fields });
  const save = async (): Promise<void> => {
    const { id, version: expectedVersion } = memory;
    const written = await write({ id, expectedVersion, ...draft, tags: listOf(tags) });
    onClose();
    toast('Saved.', async () => {
      await write({ id, expectedVersion: written.version, ...fieldsOf(memory) });
    });
  };
  return (
    <Dialog title="Edit memory" isWide onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          save().catch(setError);
        }}
      >
        {error !== undefined && <ErrorPanel error={error} />}
        <TextArea label="Content" rows={7} value={draft.content} onInput={(content) => set({ content })} />
        <TextField label="Tags, separated by commas" value={tags} onInput={setTags} />
        <div class="form-row">
          <TextField
            label="Importance, 0 to 1"
            type="number"
            min={0}
            max={1}
            step="any"
            value={String(draft.importance)}
            onInput={(text) => set({ importance: Number(text) })}
          />
          <Select
            label="Sensitivity"
            options={SENSITIVITIES}
            value={draft.sensitivity}
            onInput={(text) => set({ sensitivity: SENSITIVITIES.find((one) => one === text) ?? draft.sensitivity })}
          />
        </div>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary" disabled={draft.content.trim() === ''}>
            Save as version {memory.version + 1}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function listOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    ),
  ];
}
