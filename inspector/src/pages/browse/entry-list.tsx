/** The list of memories: pages come as one scrolls. */

import { useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Entry } from '../../../../src/domain/entry.ts';
import { ask } from '../../api/ask.ts';
import { lastChange } from '../../api/changes.ts';
import { createPages, type Pages } from '../../api/pages.ts';
import { principalKey } from '../../api/session.ts';
import { useKeys } from '../../app/keyboard.ts';
import { setQuery } from '../../app/location.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { rememberCommand } from '../../components/remember-command.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { loadEntries, type BrowseFilters } from './browse-filters.ts';
import { EntryRow } from './entry-row.tsx';

const ROW_HEIGHT = 58;

function usePages(filters: BrowseFilters): Pages<Entry | undefined> {
  const key = JSON.stringify(filters) + principalKey.value;
  const pages = useMemo(
    () =>
      createPages<Entry | undefined>((cursor, signal) => ask((memory) => loadEntries(memory, filters, cursor), signal)),
    [key],
  );
  useEffect(() => () => pages.close(), [pages]);
  useSignalEffect(() => {
    const { id, memory } = lastChange.value;
    if (id !== undefined) pages.replace((one) => (one?.id === id ? (memory ?? undefined) : one));
  });
  return pages;
}

export function EntryList({ filters }: { readonly filters: BrowseFilters }): VNode {
  const pages = usePages(filters);
  const [active, setActive] = useState<number | undefined>(undefined);
  // Keys may come quicker than the list is drawn.
  const latest = useRef(-1);
  const move = (step: 1 | -1): void => {
    latest.current = Math.min(pages.count - 1, Math.max(0, latest.current + step));
    setActive(latest.current);
    if (!focusRow(latest.current)) requestAnimationFrame(() => void focusRow(latest.current));
  };
  const open = (): void => {
    const memory = pages.at(latest.current);
    if (memory !== undefined) setQuery({ entry: memory.id });
  };
  useKeys('Browse', [
    { keys: ['j', 'ArrowDown'], help: 'Next memory', run: () => move(1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous memory', run: () => move(-1) },
    { keys: ['Enter'], help: 'Open it', run: open },
  ]);
  // Drawn again whenever a page came.
  void pages.version.value;
  const { count, totalCount, hasMore, error } = pages;
  if (count === 0 && error !== undefined) {
    return (
      <div class="browse-state">
        <ErrorPanel error={error} onRetry={() => pages.retry()} />
      </div>
    );
  }
  if (count === 0 && totalCount === undefined) {
    return (
      <div class="browse-state">
        <Skeleton rows={8} kind="card" />
      </div>
    );
  }
  return (
    <>
      <p class="browse-count quiet" role="status" aria-live="polite">
        {countText(filters, pages)}
      </p>
      {count === 0 && !hasMore ? <NothingThere filters={filters} /> : null}
      {count > 0 && (
        <VirtualList
          label="Memories"
          count={count + (hasMore ? 1 : 0)}
          rowHeight={ROW_HEIGHT}
          activeIndex={active}
          onRange={(start, end) => pages.ensure(start, end)}
          row={(index) => {
            const memory = pages.at(index);
            if (memory !== undefined) return <EntryRow memory={memory} />;
            return error !== undefined && index >= count ? (
              <button type="button" class="button" onClick={() => pages.retry()}>
                {error.message} Try again
              </button>
            ) : (
              <div class="row-skeleton" />
            );
          }}
        />
      )}
    </>
  );
}

/** Whether it was there to be focused. */
function focusRow(index: number): boolean {
  const link = document.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"] a`);
  link?.focus();
  return link !== null;
}

const numbers = new Intl.NumberFormat();

function countText({ layer, text, since }: BrowseFilters, { count, totalCount, hasMore }: Pages<unknown>): string {
  if (text !== '')
    return `${numbers.format(count)} with these words, best first${count === 100 ? '; the first hundred' : ''}`;
  const total = since === undefined || hasMore ? numbers.format(totalCount ?? 0) : numbers.format(count);
  return `${total} in ${layer}, newest first${hasMore ? ` · ${numbers.format(count)} loaded` : ''}`;
}

function NothingThere({ filters: { layer, identifiers } }: { readonly filters: BrowseFilters }): VNode {
  return (
    <EmptyState title={`Nothing in ${layer} with these filters`} command={rememberCommand(identifiers, layer)}>
      <p>Take a filter away, look as somebody else (press w), or store a first memory:</p>
    </EmptyState>
  );
}
