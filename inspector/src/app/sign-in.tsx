/** Asks for a token or an API key. It stays in the memory of this tab, and is sent to this service only. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { refusal, signIn } from '../api/session.ts';
import { Dialog } from '../components/dialog.tsx';

export function SignInDialog({ reason }: { readonly reason: string }): VNode {
  const [text, setText] = useState('');
  return (
    <Dialog title="Sign in" onClose={() => (refusal.value = undefined)}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') signIn(text.trim());
        }}
      >
        <p role="alert">{reason}</p>
        <label class="field">
          <span class="field-label">Token or API key</span>
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="eyJ… or lam_…"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p class="quiet">It is kept in the memory of this tab only: closing or reloading it forgets it.</p>
        <div class="dialog-actions">
          <button type="submit" class="button button-primary" disabled={text.trim() === ''}>
            Sign in
          </button>
        </div>
      </form>
    </Dialog>
  );
}
