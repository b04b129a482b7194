/** A list with one of it beside: the one that the address names, else the first. On a phone one at a time. */

import type { ComponentChildren, VNode } from 'preact';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { Listed } from './use-listed.ts';

interface ListAndOneProps<T> {
  readonly title: string;
  readonly answer: Listed<T>;
  /** As the address names it. */
  readonly id: string | undefined;
  readonly idOf: (item: T) => string;
  readonly hrefOf: (id: string | undefined) => string;
  readonly row: (item: T) => ComponentChildren;
  readonly one: (id: string) => ComponentChildren;
  /** Above the list, such as a filter. */
  readonly head?: ComponentChildren;
  readonly empty: ComponentChildren;
}

export function ListAndOne<T>(props: ListAndOneProps<T>): VNode {
  const { title, answer, id, idOf, hrefOf, row, one, head, empty } = props;
  const { data, error, reload, hasMore, more } = answer;
  const first = data?.[0];
  const shown = id ?? (first === undefined ? undefined : idOf(first));
  if (id === undefined && data?.length === 0 && head === undefined && error === undefined) return <>{empty}</>;
  return (
    <div class={id === undefined ? 'agents-split' : 'agents-split has-one'}>
      <nav class="agents-list" aria-label={title}>
        {head}
        {error !== undefined ? (
          <ErrorPanel error={error} onRetry={reload} />
        ) : data === undefined ? (
          <Skeleton rows={6} />
        ) : data.length === 0 ? (
          <p class="quiet">None.</p>
        ) : (
          <ul>
            {data.map((item) => (
              <li key={idOf(item)}>
                <a
                  class="agents-link"
                  href={hrefOf(idOf(item))}
                  {...(idOf(item) === shown && { 'aria-current': 'true' as const })}
                >
                  {row(item)}
                </a>
              </li>
            ))}
          </ul>
        )}
        {hasMore && (
          <button type="button" class="button" onClick={more}>
            More
          </button>
        )}
      </nav>
      <div class="agents-one">
        <a class="button button-small agents-back" href={hrefOf(undefined)}>
          All {title.toLowerCase()}
        </a>
        {shown !== undefined && <div key={shown}>{one(shown)}</div>}
        {shown === undefined && data?.length === 0 && empty}
      </div>
    </div>
  );
}
