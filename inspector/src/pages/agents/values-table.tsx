/** Values under keys, with what changed a moment ago marked. */

import type { VNode } from 'preact';
import type { Json } from '../../../../src/domain/json.ts';
import { TableHead } from '../../components/table-head.tsx';
import { Time } from '../../components/time.tsx';
import { useFresh } from './live.ts';

interface Value {
  readonly key: string;
  readonly value: Json;
  readonly version: number;
  readonly updatedAt: string;
  readonly expiresAt?: string | undefined;
}

export function ValuesTable({ values, label }: { readonly values: readonly Value[]; readonly label: string }): VNode {
  const fresh = useFresh(values);
  return (
    <>
      <p class="visually-hidden" aria-live="polite">
        {fresh.size === 0 ? '' : `Changed: ${[...fresh].join(', ')}`}
      </p>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
        <table class="values">
          <TableHead columns={['Key', 'Value', 'Changed']} />
          <tbody>
            {values.map(({ key, value, version, updatedAt, expiresAt }) => (
              // A new version is a new row, so that its mark begins anew.
              <tr key={`${key} ${version}`} class={fresh.has(key) ? 'is-fresh' : ''}>
                <th scope="row">{key}</th>
                <td>
                  <ValueText value={value} />
                </td>
                <td>
                  <Time at={updatedAt} />
                  {expiresAt !== undefined && (
                    <span class="quiet">
                      {' '}
                      ends <Time at={expiresAt} />
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const LONG = 80;

/** On one line where that is short, else indented, and to be scrolled in where it is very long. */
function ValueText({ value }: { readonly value: Json }): VNode {
  const line = JSON.stringify(value);
  const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  if (line.length <= LONG) return <code class={`value-text value-${type}`}>{line}</code>;
  return (
    <code class={`value-text value-long value-${type}`} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </code>
  );
}
