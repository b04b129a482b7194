/** What administrators did, newest first; and whether the log is as it was written. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditEntry, AuditVerification } from '../../../../src/domain/audit.ts';
import { ask } from '../../api/ask.ts';
import { toastError } from '../../app/toasts.tsx';
import { Time } from '../../components/time.tsx';
import { erasureHref, runHref } from './addresses.ts';
import { countText } from './figures.ts';

const ACTION_TEXTS: Readonly<Record<AuditEntry['action'], string>> = {
  'keys.create': 'made a key',
  'keys.revoke': 'revoked a key',
  'users.erase': 'erased a person',
  'tenants.erase': 'erased the tenant',
  'tenants.export': 'exported the tenant',
  'tenants.import': 'imported into the tenant',
  'maintenance.run': 'ran maintenance',
  'maintenance.undo': 'undid a run of maintenance',
  'reindex.start': 'began to change the embedding model',
  'reindex.cutOver': 'changed over to the new embedding model',
  'reindex.rollBack': 'went back to the former embedding model',
  'reindex.finish': 'finished changing the embedding model',
  'reindex.cancel': 'called off changing the embedding model',
  'encryption.seal': 'encrypted what was there',
  'encryption.rotate': 'changed the data key',
  'encryption.rotateMaster': 'changed the master key',
  'doctor.fix': 'repaired something',
  'quarantine.release': 'released a memory from quarantine',
  'quarantine.reject': 'rejected a memory in quarantine',
  refused: 'was refused',
};

export function AuditLog({ entries }: { readonly entries: readonly AuditEntry[] }): VNode {
  if (entries.length === 0) return <p class="quiet">Nothing yet: no key was made, nobody was erased.</p>;
  return (
    <ul class="audit">
      {entries.map(({ id, action, actor, at, keyId, receipt, about }) => (
        <li key={id}>
          <Time at={at} />
          <span class="audit-text">
            <b>{actor.startsWith('sha256:') ? `${actor.slice(0, 15)}…` : actor}</b> {ACTION_TEXTS[action]}
          </span>
          {keyId !== undefined && <code class="quiet">{keyId}</code>}
          {receipt !== undefined && <a href={erasureHref(receipt.erasureId)}>Receipt</a>}
          {about !== undefined && <About about={about} />}
        </li>
      ))}
    </ul>
  );
}

function About({ about }: { readonly about: NonNullable<AuditEntry['about']> }): VNode {
  const { runId, ...rest } = about;
  return (
    <>
      {typeof runId === 'string' && <a href={runHref(runId)}>Run</a>}
      {Object.entries(rest).map(([name, value]) => (
        <span class="quiet" key={name}>
          {name} {String(value)}
        </span>
      ))}
    </>
  );
}

export function VerifyAudit(): VNode {
  const [found, setFound] = useState<AuditVerification | undefined>(undefined);
  const verify = async (): Promise<void> => setFound(await ask((memory) => memory.admin.verifyAudit({})));
  return (
    <>
      <span class={found?.ok === false ? 'audit-broken' : 'quiet'} role="status">
        {found !== undefined && verdict(found)}
      </span>
      <button type="button" class="button button-small" onClick={() => void verify().catch(toastError)}>
        Verify the log
      </button>
    </>
  );
}

function verdict({ ok, entries, firstBroken }: AuditVerification): string {
  if (ok) return `Unchanged: ${countText(entries)} linked ${entries === 1 ? 'entry' : 'entries'}.`;
  return `Not as it was written: ${firstBroken?.problem ?? 'the chain is broken'}`;
}
