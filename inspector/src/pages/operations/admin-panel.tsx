/** A panel with what only administrators may see; everybody else is told so in plain words. */

import type { ComponentChildren, VNode } from 'preact';
import type { Answer } from '../../api/use-answer.ts';
import { me } from '../../api/me.ts';
import { isWhoOpen } from '../../app/who.tsx';
import { AnswerPanel, Panel } from '../../components/panel.tsx';

interface AdminPanelProps<T> {
  readonly title: string;
  /** What it is that takes the role, as the beginning of a sentence: "Making and revoking keys". */
  readonly needs: string;
  readonly answer: Answer<T>;
  readonly rows?: number;
  readonly aside?: (data: T) => ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** It is the service that refuses: it is asked each time. */
export function AdminPanel<T>({ needs, ...rest }: AdminPanelProps<T>): VNode {
  if (rest.answer.error?.code !== 'FORBIDDEN') return <AnswerPanel {...rest} />;
  return (
    <Panel title={rest.title}>
      <NeedsAdmin needs={needs} />
    </Panel>
  );
}

function NeedsAdmin({ needs }: { readonly needs: string }): VNode {
  const { userId, roles } = me.value ?? {};
  return (
    <div class="needs-admin">
      <p>
        <b>{needs} is for administrators of the tenant.</b>
      </p>
      <p class="quiet">
        The service takes you for {userId === undefined ? 'somebody' : <code>{userId}</code>} with the role{' '}
        <code>{roles?.join(', ') ?? 'member'}</code>. Sign in with a token or a key that has the role <code>admin</code>
        , or ask an administrator.
      </p>
      <button type="button" class="button" onClick={() => (isWhoOpen.value = true)}>
        Who am I
      </button>
    </div>
  );
}
