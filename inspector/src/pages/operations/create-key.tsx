/** Makes a key. The secret is shown once, and is nowhere but in this dialog. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { CreateKeyOutput } from '../../../../src/domain/api-key.ts';
import { PRINCIPAL_ROLES } from '../../../../src/domain/principal.ts';
import { ask, type Memory } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Select, TextField } from '../../components/fields.tsx';

const LIVES = [
  ['7', 'a week'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['', 'for ever'],
] as const;

interface Draft {
  readonly name: string;
  readonly userId: string;
  readonly agentId: string;
  readonly role: string;
  readonly days: string;
}

const EMPTY: Draft = { name: '', userId: '', agentId: '', role: 'member', days: '90' };

export function CreateKey({ onClose }: { readonly onClose: () => void }): VNode {
  const [made, setMade] = useState<CreateKeyOutput | undefined>(undefined);
  const [isHeld, setHeld] = useState(false);
  if (made === undefined) {
    return (
      <Dialog title="Make a key" onClose={onClose}>
        <KeyForm onMade={setMade} onCancel={onClose} />
      </Dialog>
    );
  }
  const close = (): void => {
    onClose();
    changed();
  };
  // Escape or a click beside it would lose the key for good.
  return (
    <Dialog title={`The key “${made.name}”`} onClose={() => setHeld(true)}>
      <Secret made={made} isHeld={isHeld} onClose={close} />
    </Dialog>
  );
}

interface KeyFormProps {
  readonly onMade: (made: CreateKeyOutput) => void;
  readonly onCancel: () => void;
}

function KeyForm({ onMade, onCancel }: KeyFormProps): VNode {
  const [draft, setDraft] = useState(EMPTY);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const set = (name: keyof Draft) => (value: string) => setDraft((before) => ({ ...before, [name]: value }));
  const make = async (): Promise<void> => {
    setBusy(true);
    try {
      onMade(await ask((memory) => memory.keys.create(inputOf(draft))));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <TextField label="Name" value={draft.name} placeholder="what it is for: nightly import" onInput={set('name')} />
      <TextField label="Speaks for user" value={draft.userId} placeholder="importer" onInput={set('userId')} />
      <TextField
        label="Kept to agent"
        value={draft.agentId}
        placeholder="none: all agents of the user"
        onInput={set('agentId')}
      />
      <div class="form-row">
        <Select label="Role" value={draft.role} options={PRINCIPAL_ROLES} onInput={set('role')} />
        <Select label="Valid for" value={draft.days} options={LIVES} onInput={set('days')} />
      </div>
      {error !== undefined && <ErrorPanel error={error} />}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <button
          type="submit"
          class="button button-primary"
          disabled={isBusy || draft.name.trim() === '' || draft.userId.trim() === ''}
        >
          Make the key
        </button>
      </div>
    </form>
  );
}

function inputOf({ name, userId, agentId, role, days }: Draft): Parameters<Memory['keys']['create']>[0] {
  return {
    name: name.trim(),
    userId: userId.trim(),
    ...(agentId.trim() !== '' && { agentId: agentId.trim() }),
    roles: PRINCIPAL_ROLES.filter((one) => one === role),
    ...(days !== '' && { expiresInDays: Number(days) }),
  };
}

interface SecretProps {
  readonly made: CreateKeyOutput;
  /** Somebody wanted to close it without saying that the key is kept. */
  readonly isHeld: boolean;
  readonly onClose: () => void;
}

function Secret({ made, isHeld, onClose }: SecretProps): VNode {
  return (
    <>
      <p>
        Copy it now: <b>it is shown once and never again.</b> Only its hash is kept. It is sent as{' '}
        <code>Authorization: Bearer …</code> or <code>X-API-Key: …</code>.
      </p>
      <div class="command">
        <pre class="secret" tabIndex={0} aria-label="The key">
          {made.key}
        </pre>
        <CopyButton text={made.key} label="Copy the key" />
      </div>
      {isHeld && (
        <p class="is-bad" role="alert">
          Is it kept? With this dialog it is gone; then only a new key helps.
        </p>
      )}
      <div class="dialog-actions">
        <button type="button" class="button button-primary" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </>
  );
}
