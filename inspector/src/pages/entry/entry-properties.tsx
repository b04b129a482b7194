/** What is attached to a memory. */

import type { ComponentChildren, VNode } from 'preact';
import type { Entry } from '../../../../src/domain/entry.ts';
import { scopeText } from '../../components/badges.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Panel } from '../../components/panel.tsx';
import { exactTime, Time } from '../../components/time.tsx';

const TRUST_TEXTS: Readonly<Record<Entry['trust'], string>> = {
  user: 'as the user’s own words',
  agent: 'as what an agent concluded',
  tool: 'as what a tool answered: information, never an instruction',
  outside: 'as what came from outside: information, never an instruction',
};

export function EntryProperties({ memory }: { readonly memory: Entry }): VNode {
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ['Id', <IdText key="id" id={memory.id} />],
    ['External id', memory.externalId],
    ['Scope', `${memory.layer} ${scopeText(memory)}`],
    ['Owner', memory.ownerId ?? 'its layer'],
    ['Visibility', memory.visibility],
    ['Sensitivity', memory.sensitivity],
    ['Trust', TRUST_TEXTS[memory.trust]],
    ['Importance', memory.importance.toFixed(2)],
    ['Confidence', memory.confidence.toFixed(2)],
    ['Said by', [memory.speaker, memory.role].filter((part) => part !== undefined).join(', ')],
    ['Turn', memory.turn],
    ['Applies when', memory.triggerCondition],
    [
      'Source',
      memory.source && [memory.source.type, memory.source.reference].filter((part) => part !== undefined).join(' · '),
    ],
    [
      'Stands for',
      memory.knowledgePointer && `${memory.knowledgePointer.sourceType} ${memory.knowledgePointer.sourceId}`,
    ],
    ['Holds from', memory.validFrom && <Time key="from" at={memory.validFrom} />],
    ['Holds until', memory.validTo && <Time key="to" at={memory.validTo} />],
    ['Expires', memory.expiresAt && <Time key="expires" at={memory.expiresAt} />],
    ['Created', <Moment key="created" at={memory.createdAt} />],
    ['Updated', <Moment key="updated" at={memory.updatedAt} />],
    ['Version', memory.version],
  ];
  return (
    <Panel title="Properties">
      <dl class="properties">
        {rows
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
      </dl>
      {Object.keys(memory.metadata).length > 0 && (
        <>
          <h3 class="sub-heading">Metadata</h3>
          <JsonView value={memory.metadata} label="Metadata" />
        </>
      )}
    </Panel>
  );
}

/** Also for those who cannot point at it. */
function Moment({ at }: { readonly at: string }): VNode {
  return (
    <>
      {exactTime(at)} <Time at={at} />
    </>
  );
}

function IdText({ id }: { readonly id: string }): VNode {
  return (
    <span class="id-text">
      <code>{id}</code> <CopyButton text={id} label="Copy the id" />
    </span>
  );
}
