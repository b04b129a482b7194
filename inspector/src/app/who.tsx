/** Whose memory is looked at: chosen freely where nobody has to prove who they are, else by a credential. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { actAs, credential, identity, isRefused, refusal, signOut, type Identity } from '../api/session.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';

export const isWhoOpen = signal(false);

function close(): void {
  isWhoOpen.value = false;
}

export function WhoDialog(): VNode {
  return (
    <Dialog title="Who am I" onClose={close}>
      {credential.value === undefined ? <ChooseIdentity /> : <SignedIn />}
    </Dialog>
  );
}

function SignedIn(): VNode {
  return (
    <>
      <p>
        {isRefused.value ? 'The service did not take your credential.' : 'You are signed in with a credential.'} It is
        kept in the memory of this tab only.
      </p>
      <div class="dialog-actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            close();
            signOut();
            refusal.value = 'You signed out.';
          }}
        >
          Sign out
        </button>
      </div>
    </>
  );
}

function ChooseIdentity(): VNode {
  const [draft, setDraft] = useState<Identity>(identity.value);
  const set = (name: 'tenantId' | 'userId' | 'agentId') => (value: string) => {
    const { [name]: _, ...rest } = draft;
    setDraft(value.trim() === '' ? rest : { ...rest, [name]: value.trim() });
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        actAs(draft);
        close();
      }}
    >
      <p class="quiet">
        This service asks nobody to prove who they are. Leave all of it empty to be its operator: an administrator, as
        user “local”.
      </p>
      <TextField label="User" value={draft.userId ?? ''} placeholder="local" onInput={set('userId')} />
      <TextField
        label="Agent"
        value={draft.agentId ?? ''}
        placeholder="none: all agents of the user"
        onInput={set('agentId')}
      />
      <TextField
        label="Tenant"
        value={draft.tenantId ?? ''}
        placeholder="a UUID; empty is the default tenant"
        onInput={set('tenantId')}
      />
      {draft.userId !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.isAdmin === true}
            onChange={({ currentTarget }) => {
              const { isAdmin: _, ...rest } = draft;
              setDraft(currentTarget.checked ? { ...rest, isAdmin: true } : rest);
            }}
          />
          Administrator of the tenant
        </label>
      )}
      <div class="dialog-actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            actAs({});
            close();
          }}
        >
          Operator
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            close();
            refusal.value = 'Sign in with a credential.';
          }}
        >
          Use a credential
        </button>
        <button type="submit" class="button button-primary">
          Look as this user
        </button>
      </div>
    </form>
  );
}
