/** Contexts: what lies in them, their snapshots and what changed between two, and who may and who did come. */

import type { VNode } from 'preact';
import type { Context } from '../../../../src/domain/context.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { entryHref } from '../../app/pages.ts';
import { Tag } from '../../components/badges.tsx';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnswerPanel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { AccessList } from './access-list.tsx';
import { agentsHref } from './agents-href.ts';
import { ContextSnapshots } from './context-snapshots.tsx';
import { ListAndOne } from './list-and-one.tsx';
import { useListed } from './use-listed.ts';

const PAGE_SIZE = 100;
const LATEST = 20;

export function ContextsPart({ id }: { readonly id: string | undefined }): VNode {
  const answer = useListed('contexts', async (memory, page) => {
    const { contexts, nextCursor } = await memory.contexts.list({ ...page, status: 'all' });
    return { items: contexts, nextCursor };
  });
  return (
    <ListAndOne
      title="Contexts"
      answer={answer}
      id={id}
      idOf={({ contextId }) => contextId}
      hrefOf={(contextId) => agentsHref('contexts', contextId)}
      row={(context) => <ContextRow context={context} />}
      one={(contextId) => <ContextView contextId={contextId} />}
      empty={<NoContexts />}
    />
  );
}

function ContextRow({ context }: { readonly context: Context }): VNode {
  return (
    <>
      <span class="agents-name">{context.name ?? context.contextId}</span>
      <span class="meta-row">
        <span>{context.type.replace('_', ' ')}</span>
        {context.status === 'archived' && <span class="badge status-archived">archived</span>}
        <Time at={context.updatedAt} />
      </span>
    </>
  );
}

function ContextView({ contextId }: { readonly contextId: string }): VNode {
  const about = useAnswer(`context ${contextId}`, (memory) => memory.contexts.get({ contextId }));
  if (about.data === null) {
    return (
      <EmptyState title="There is no such context">
        <p>It was deleted, or is not shared with you.</p>
      </EmptyState>
    );
  }
  const { data } = about;
  return (
    <div class="agents-detail">
      <header class="agents-head">
        <h2>{data?.name ?? contextId}</h2>
        {data?.description !== undefined && <p>{data.description}</p>}
        <p class="meta-row">
          <code>{contextId}</code>
          {data !== undefined && (
            <span>
              {data.type.replace('_', ' ')} of {data.scope} {data.scopeId}
            </span>
          )}
        </p>
      </header>
      <Entries contextId={contextId} />
      <ContextSnapshots contextId={contextId} />
      <AnswerPanel title="Access list" answer={about}>
        {(context) => context && <AccessList {...context} />}
      </AnswerPanel>
      <Accesses contextId={contextId} />
    </div>
  );
}

function Entries({ contextId }: { readonly contextId: string }): VNode {
  const answer = useAnswer(`context entries ${contextId}`, (memory) =>
    memory.contextEntries.list({ contextId, limit: PAGE_SIZE, status: 'all' }),
  );
  return (
    <AnswerPanel
      title="Entries"
      answer={answer}
      aside={({ count, nextCursor }) => (
        <span class="quiet numeric">{nextCursor === null ? count : `the newest ${count}`}</span>
      )}
    >
      {({ entries }) =>
        entries.length === 0 ? (
          <EmptyState
            title="Nothing in it yet"
            command={curlCommand(
              `/v1/memory/contexts/${encodeURIComponent(contextId)}/entries/database`,
              { content: 'Atlas runs on PostgreSQL 17.', entry_type: 'fact' },
              'PUT',
            )}
          />
        ) : (
          <ul class="context-entries">
            {entries.map(({ key, entryId, content, entryType, version, status, editedBy, updatedAt }) => (
              <li key={key}>
                <a href={entryHref(entryId)}>
                  <code>{key}</code>
                </a>
                <p class="memory-text">{content}</p>
                <p class="meta-row">
                  <Tag>{entryType.replace('_', ' ')}</Tag>
                  {status === 'archived' && <span class="badge status-archived">archived</span>}
                  <span class="numeric">version {version}</span>
                  <span>by {editedBy}</span>
                  <Time at={updatedAt} />
                </p>
              </li>
            ))}
          </ul>
        )
      }
    </AnswerPanel>
  );
}

function Accesses({ contextId }: { readonly contextId: string }): VNode {
  const answer = useAnswer(`context accesses ${contextId}`, (memory) =>
    memory.contexts.accesses({ contextId, limit: LATEST }),
  );
  return (
    <AnswerPanel title="Who came" answer={answer}>
      {({ accesses }) =>
        accesses.length === 0 ? (
          <p class="quiet">Nobody yet.</p>
        ) : (
          <ul class="accesses">
            {accesses.map(({ accessId, actorId, agentId, action, entryKey, at }) => (
              <li class="meta-row" key={accessId}>
                <Time at={at} />
                <b>{agentId === undefined ? actorId : `${actorId} / ${agentId}`}</b>
                <code>{action}</code>
                {entryKey !== undefined && <span>{entryKey}</span>}
              </li>
            ))}
          </ul>
        )
      }
    </AnswerPanel>
  );
}

function NoContexts(): VNode {
  const body = { context_id: 'atlas', type: 'project_context', name: 'Atlas' };
  return (
    <EmptyState title="No contexts yet" command={curlCommand('/v1/memory/contexts', body)}>
      <p>A context keeps entries under keys, with an access list, snapshots to go back to and a log of who came.</p>
    </EmptyState>
  );
}
