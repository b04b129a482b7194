/** JSON to read. */

import type { VNode } from 'preact';

export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }): VNode {
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
