/** The first line of a table. */

import type { ComponentChildren, VNode } from 'preact';

/** The class `right` is for numbers. */
type Column = string | { readonly name: ComponentChildren; readonly class?: string };

export function right(name: string): Column {
  return { name, class: 'right' };
}

export function TableHead({ columns }: { readonly columns: readonly Column[] }): VNode {
  return (
    <thead>
      <tr>
        {columns.map((column, at) => {
          const { name, class: className } = typeof column === 'string' ? { name: column } : column;
          return (
            <th scope="col" class={className} key={at}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
