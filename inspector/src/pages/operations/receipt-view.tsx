/** The receipt of an erasure, and counting again whether anything is left. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditOutput } from '../../../../src/domain/audit.ts';
import type { ErasureCounts, Receipt, Verification } from '../../../../src/domain/erasure.ts';
import { ask } from '../../api/ask.ts';
import type { Answer } from '../../api/use-answer.ts';
import { ROOT } from '../../app/location.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { TextField } from '../../components/fields.tsx';
import { Panel } from '../../components/panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { exactTime, Time } from '../../components/time.tsx';
import { countText } from './figures.ts';
import { keptReceipt } from './kept-receipts.ts';

interface ReceiptViewProps {
  readonly erasureId: string;
  readonly audit: Answer<AuditOutput>;
}

export function ReceiptView({ erasureId, audit }: ReceiptViewProps): VNode | null {
  const kept = keptReceipt(erasureId);
  const found = audit.data?.entries.find(({ id }) => id === erasureId)?.receipt;
  const receipt = kept?.receipt ?? found;
  if (audit.error !== undefined && receipt === undefined) return null;
  return (
    <>
      <a class="back-link" href={`${ROOT}/operations/erasure`}>
        Erasure
      </a>
      <Panel
        title="Receipt"
        aside={receipt && <CopyButton text={JSON.stringify(receipt, null, 2)} label="Copy the receipt as JSON" />}
      >
        {receipt !== undefined ? (
          <ReceiptText receipt={receipt} />
        ) : audit.data === undefined ? (
          <Skeleton rows={6} />
        ) : (
          <p>
            The log knows no such erasure. Of a tenant the log is erased too: what remains is the receipt that was
            given.
          </p>
        )}
      </Panel>
      <Verify erasureId={erasureId} subject={receipt?.subject ?? 'user'} given={kept?.id ?? ''} />
    </>
  );
}

function ReceiptText({ receipt }: { readonly receipt: Receipt }): VNode {
  return (
    <>
      <dl class="properties">
        <dt>Erased</dt>
        <dd>
          {receipt.subject === 'user' ? 'a person' : 'a tenant'}, <Time at={receipt.completedAt} /> (
          {exactTime(receipt.completedAt)})
        </dd>
        <dt>Erasure</dt>
        <dd>
          <code>{receipt.erasureId}</code>
        </dd>
        <dt>Hash of the id</dt>
        <dd>
          <code>{receipt.subjectHash}</code>
        </dd>
        <dt>Hash of the receipt</dt>
        <dd>
          <code>{receipt.hash}</code>
        </dd>
      </dl>
      <Counts counts={receipt.counts} none="Nothing was there to be removed." />
    </>
  );
}

/** `contextAccesses` is "context accesses". */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function Counts({ counts, none }: { readonly counts: ErasureCounts; readonly none: string }): VNode {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  if (some.length === 0) return <p class="quiet">{none}</p>;
  return (
    <dl class="figures">
      {some.map(([name, count]) => (
        <div key={name}>
          <dt>{wordsOf(name)}</dt>
          <dd>{countText(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

interface VerifyProps {
  readonly erasureId: string;
  readonly subject: Receipt['subject'];
  /** Who was erased, where it is still known. */
  readonly given: string;
}

function Verify({ erasureId, subject, given }: VerifyProps): VNode {
  const [id, setId] = useState(given);
  const [outcome, setOutcome] = useState<Verification | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const verify = async (): Promise<void> => {
    setError(undefined);
    setOutcome(undefined);
    try {
      const whom = subject === 'user' ? { userId: id.trim() } : { tenantId: id.trim() };
      const told = await ask((memory) => memory.admin.verifyErasure({ erasureId, ...whom }));
      if (told === null) throw new Error('There is no such erasure of this id. Is the id right?');
      setOutcome(told);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Panel title="Is anything left?">
      <form
        class="erase-form"
        onSubmit={(event) => {
          event.preventDefault();
          void verify();
        }}
      >
        <p class="quiet">Counts again. The log keeps no names, so say who it was: only the hashes are compared.</p>
        <div class="erase-line">
          <TextField label={subject === 'user' ? 'User' : 'Tenant'} value={id} onInput={setId} />
          <button type="submit" class="button" disabled={id.trim() === ''}>
            Verify
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {error !== undefined && <ErrorPanel error={error} />}
        {outcome !== undefined && <Outcome outcome={outcome} />}
      </div>
    </Panel>
  );
}

function Outcome({ outcome: { verified, remaining, checkedAt } }: { readonly outcome: Verification }): VNode {
  return (
    <div class="outcome">
      <p>
        <span class={`badge-plain ${verified ? 'health-healthy' : 'health-unhealthy'}`}>
          {verified ? 'Nothing is left' : 'Something is left'}
        </span>{' '}
        <span class="quiet">
          counted <Time at={checkedAt} />
        </span>
      </p>
      {!verified && (
        <>
          <p class="quiet">What was written since then counts as left.</p>
          <Counts counts={remaining} none="" />
        </>
      )}
    </div>
  );
}
