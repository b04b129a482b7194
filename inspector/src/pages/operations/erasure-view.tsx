/** Erasing a person or the tenant, with a receipt; and what administrators did. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { me } from '../../api/me.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { TextField } from '../../components/fields.tsx';
import { Panel } from '../../components/panel.tsx';
import { AdminPanel } from './admin-panel.tsx';
import { AuditLog, VerifyAudit } from './audit-log.tsx';
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
      <AdminPanel
        title="What administrators did"
        needs="Erasing people, and the log of it,"
        answer={answer}
        rows={4}
        aside={() => <VerifyAudit />}
      >
        {({ entries }) => <AuditLog entries={entries} />}
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
