/** Words with a colour of their own: layers, kinds, statuses. The text always says it too. */

import type { ComponentChildren, VNode } from 'preact';
import type { Entry } from '../../../src/domain/entry.ts';
import type { Kind } from '../../../src/domain/kind.ts';
import type { Layer } from '../../../src/domain/scope.ts';
import { isStranger } from '../../../src/domain/trust.ts';

export function LayerBadge({ layer }: { readonly layer: Layer }): VNode {
  return <span class={`badge layer-${layer}`}>{layer}</span>;
}

export function KindBadge({ kind }: { readonly kind: Kind }): VNode {
  return <span class={`badge-plain kind-${kind}`}>{kind}</span>;
}

/** Nothing for what is in use: that is the rule. */
export function StatusBadge({ status }: { readonly status: Entry['status'] }): VNode | null {
  if (status === 'active') return null;
  return <span class={`badge status-${status}`}>{status === 'quarantined' ? 'waits for review' : status}</span>;
}

/** Nothing for `internal`: that is the default. */
export function SensitivityBadge({ sensitivity }: { readonly sensitivity: Entry['sensitivity'] }): VNode | null {
  return sensitivity === 'internal' ? null : <span class={`badge sensitivity-${sensitivity}`}>{sensitivity}</span>;
}

/** Nothing for what was said in the conversation itself: the mark is for what somebody else may have written. */
export function TrustBadge({ trust }: { readonly trust: Entry['trust'] }): VNode | null {
  if (!isStranger(trust)) return null;
  const title = trust === 'tool' ? 'A tool wrote it' : 'It came from outside';
  return (
    <span class={`badge trust-${trust}`} title={title}>
      {trust === 'tool' ? 'by a tool' : 'from outside'}
    </span>
  );
}

export function Tag({ children }: { readonly children: ComponentChildren }): VNode {
  return <span class="tag">{children}</span>;
}

/** Whose it is, to be read after the layer: `apollo` of a project, `scribe of user local` of an agent. */
export function scopeText({ layer, identifiers }: Pick<Entry, 'identifiers' | 'layer'>): string {
  const { [`${layer}Id` as const]: own, ...others } = identifiers;
  const rest = Object.entries(others).map(([name, value]) => `${name.replace(/Id$/, '')} ${value}`);
  return [...(own === undefined ? [] : [own]), ...rest].join(' of ');
}
