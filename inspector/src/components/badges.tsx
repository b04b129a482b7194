/** Words with a colour of their own: layers, kinds, statuses. The text always says it too. */

import type { ComponentChildren, VNode } from 'preact';
import type { Entry } from '../../../src/domain/entry.ts';
import type { Kind } from '../../../src/domain/kind.ts';
import type { Layer } from '../../../src/domain/scope.ts';

export function LayerBadge({ layer }: { readonly layer: Layer }): VNode {
  return <span class={`badge layer-${layer}`}>{layer}</span>;
}

export function KindBadge({ kind }: { readonly kind: Kind }): VNode {
  return <span class={`badge-plain kind-${kind}`}>{kind}</span>;
}

/** Nothing for what is in use: that is the rule. */
export function StatusBadge({ status }: { readonly status: Entry['status'] }): VNode | null {
  return status === 'active' ? null : <span class={`badge status-${status}`}>{status}</span>;
}

/** Nothing for `internal`: that is the default. */
export function SensitivityBadge({ sensitivity }: { readonly sensitivity: Entry['sensitivity'] }): VNode | null {
  return sensitivity === 'internal' ? null : <span class={`badge sensitivity-${sensitivity}`}>{sensitivity}</span>;
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
