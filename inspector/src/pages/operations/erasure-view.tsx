/** Erasing a person or the tenant, with a receipt; and what administrators did. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../../src/domain/audit.ts';
import { me } from '../../api/me.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { TextField } from '../../components/fields.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { erasureHref } from './addresses.ts';
import { AdminPanel } from './admin-panel.tsx';
import { EraseDialog, type Subject } from './erase-dialog.tsx';
import { ReceiptView } from './receipt-view.tsx';

const PAGE = 100;

export function ErasureView({ detail }: { readonly detail: string | undefined }): VNode {
  const answer = useAnswer('audit', (memory) => memory.admin.audit({ limit: PAGE }));
  const isAllowed = answer.data !== undefined && answer.error === undefined;
  return (
    <>
      {detail !== undefined && <ReceiptView key={detail} erasureId={detail} audit={answer} />}
      {detail === undefined && isAllowed && <Erasing />}
      <AdminPanel title="What administrators did" needs="Erasing people, and the log of it," answer={answer} rows={4}>
        {({ entries }) => <Audit entries={entries} />}
      </AdminPanel>
    </>
  );
}

function Erasing(): VNode {
  const [userId, setUserId] = useState('');
  const [subject, setSubject] = useState<Subject | undefined>(undefined);
  const tenantId = me.value?.tenantId;
  return (
    <>
      <Panel title="Erase a person">
        <form
          class="erase-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (userId.trim() !== '') setSubject({ type: 'user', id: userId.trim() });
          }}
        >
          <p class="quiet">
            Removes all that is theirs: memories in every layer with versions, vectors, index and events; plans,
            sessions, working memory, keys. What belongs to a project or a team stays, without the name. You get a
            receipt that names nobody.
          </p>
          <div class="erase-line">
            <TextField label="User" value={userId} placeholder="the id of the user" onInput={setUserId} />
            <button type="submit" class="button button-danger" disabled={userId.trim() === ''}>
              Erase this user…
            </button>
          </div>
        </form>
      </Panel>
      <Panel title="Erase the tenant">
        <div class="erase-form">
          <p class="quiet">
            Deletes everything of everybody in it as a whole, the log below included. The next write begins it anew.
          </p>
          <div class="erase-line">
            <code>{tenantId}</code>
            <button
              type="button"
              class="button button-quiet-danger"
              disabled={tenantId === undefined}
              onClick={() => tenantId !== undefined && setSubject({ type: 'tenant', id: tenantId })}
            >
              Erase the tenant…
            </button>
          </div>
        </div>
      </Panel>
      {subject !== undefined && <EraseDialog subject={subject} onClose={() => setSubject(undefined)} />}
    </>
  );
}

const ACTION_TEXTS: Readonly<Record<AuditEntry['action'], string>> = {
  'keys.create': 'made a key',
  'keys.revoke': 'revoked a key',
  'users.erase': 'erased a person',
  'tenants.erase': 'erased the tenant',
  'tenants.export': 'exported the tenant',
  'tenants.import': 'imported into the tenant',
};

function Audit({ entries }: { readonly entries: readonly AuditEntry[] }): VNode {
  if (entries.length === 0) return <p class="quiet">Nothing yet: no key was made, nobody was erased.</p>;
  return (
    <ul class="audit">
      {entries.map(({ id, action, actor, at, keyId, receipt }) => (
        <li key={id}>
          <Time at={at} />
          <span class="audit-text">
            <b>{actor.startsWith('sha256:') ? `${actor.slice(0, 15)}…` : actor}</b> {ACTION_TEXTS[action]}
          </span>
          {keyId !== undefined && <code class="quiet">{keyId}</code>}
          {receipt !== undefined && <a href={erasureHref(receipt.erasureId)}>Receipt</a>}
        </li>
      ))}
    </ul>
  );
}
