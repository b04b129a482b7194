/** API keys: who may come in, until when; making one, and revoking one. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiKey, ListKeysOutput } from '../../../../src/domain/api-key.ts';
import { ask, type Memory } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { confirm } from '../../app/confirm.tsx';
import { useKeys } from '../../app/keyboard.ts';
import { toast, toastError } from '../../app/toasts.tsx';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { Time } from '../../components/time.tsx';
import { AdminPanel } from './admin-panel.tsx';
import { CreateKey } from './create-key.tsx';

const PAGE = 100;

const REVOKE = { name: <span class="visually-hidden">Revoke</span> };
const COLUMNS = ['Name', 'Speaks for', 'Roles', 'State', 'Last used', 'Made', REVOKE];

export function KeysView(): VNode {
  const [limit, setLimit] = useState(PAGE);
  const [isMaking, setMaking] = useState(false);
  const answer = useAnswer(`keys ${limit}`, (memory) => keysUpTo(memory, limit));
  const isAllowed = answer.data !== undefined && answer.error === undefined;
  useKeys('Keys', [{ keys: ['n'], help: 'Make a key', run: () => isAllowed && setMaking(true) }]);
  return (
    <>
      <AdminPanel
        title="API keys"
        needs="Making and revoking keys"
        answer={answer}
        rows={5}
        aside={() => (
          <button type="button" class="button button-primary" onClick={() => setMaking(true)}>
            <Icon name="key" /> Make a key
          </button>
        )}
      >
        {({ keys, nextCursor }) => (
          <>
            <Keys keys={keys} />
            {nextCursor !== null && (
              <button type="button" class="button more" onClick={() => setLimit(limit + PAGE)}>
                Show older keys
              </button>
            )}
          </>
        )}
      </AdminPanel>
      {isMaking && <CreateKey onClose={() => setMaking(false)} />}
    </>
  );
}

async function keysUpTo(memory: Memory, limit: number): Promise<ListKeysOutput> {
  let page = await memory.keys.list({ limit: PAGE });
  const keys = [...page.keys];
  while (keys.length < limit && page.nextCursor !== null) {
    page = await memory.keys.list({ limit: PAGE, cursor: page.nextCursor });
    keys.push(...page.keys);
  }
  return { keys, count: keys.length, nextCursor: page.nextCursor };
}

function stateOf({ revokedAt, expiresAt }: ApiKey): 'revoked' | 'expired' | 'valid' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid';
}

async function revoke({ keyId, name, userId }: ApiKey): Promise<void> {
  const isSure = await confirm({
    title: `Revoke the key “${name}”?`,
    text: `From then on it opens nothing, at once and for good. Whatever signs in with it, as ${userId}, is shut out. This cannot be undone: make a new key instead.`,
    action: 'Revoke the key',
    isDangerous: true,
  });
  if (!isSure) return;
  await ask((memory) => memory.keys.revoke({ keyId }));
  changed();
  toast(`The key “${name}” is revoked.`);
}

function Keys({ keys }: { readonly keys: readonly ApiKey[] }): VNode {
  if (keys.length === 0) {
    return (
      <EmptyState
        title="There are no keys yet"
        command={curlCommand('/v1/memory/admin/keys', { name: 'nightly import', user_id: 'importer' })}
      >
        <p>A key speaks for one user of the tenant. Make one here, or paste this.</p>
      </EmptyState>
    );
  }
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="All API keys">
      <table class="table keys-table">
        <TableHead columns={COLUMNS} />
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.keyId} apiKey={key} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeyRow({ apiKey }: { readonly apiKey: ApiKey }): VNode {
  const state = stateOf(apiKey);
  const { name, keyId, userId, agentId, roles, expiresAt, revokedAt, lastUsedAt, createdAt } = apiKey;
  return (
    <tr class={state === 'valid' ? '' : 'is-over'}>
      <th scope="row">
        {name}
        <code class="key-id" title={keyId}>
          {keyId}
        </code>
      </th>
      <td data-label="Speaks for">
        {userId}
        {agentId !== undefined && <span class="quiet"> · {agentId}</span>}
      </td>
      <td data-label="Roles">{roles.join(', ')}</td>
      <td data-label="State">
        <span class={`badge-plain key-${state}`}>{state}</span>{' '}
        {revokedAt !== undefined ? (
          <Time at={revokedAt} />
        ) : expiresAt === undefined ? (
          <span class="quiet">for ever</span>
        ) : (
          <span class="quiet">
            {state === 'valid' && 'ends '}
            <Time at={expiresAt} />
          </span>
        )}
      </td>
      <td data-label="Last used">
        {lastUsedAt === undefined ? <span class="quiet">never</span> : <Time at={lastUsedAt} />}
      </td>
      <td data-label="Made">
        <Time at={createdAt} />
      </td>
      <td class="right">
        {state === 'valid' && (
          <button
            type="button"
            class="button button-small button-quiet-danger"
            aria-label={`Revoke ${name}`}
            onClick={() => void revoke(apiKey).catch(toastError)}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}
