/** Loads the program of a page when it is first gone to, and shows it. */

import { signal, useSignalEffect } from '@preact/signals';
import type { ComponentType, VNode } from 'preact';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorBoundary } from '../components/error-boundary.tsx';
import { PageSkeleton } from '../components/skeleton.tsx';
import { path, ROOT } from './location.ts';
import { routeOf, type PageProps } from './pages.ts';

const loaded = signal<ReadonlyMap<string, ComponentType<PageProps>>>(new Map());
const failed = signal<string | undefined>(undefined);

async function load(id: string, program: () => Promise<{ readonly Page: ComponentType<PageProps> }>): Promise<void> {
  try {
    const { Page } = await program();
    loaded.value = new Map(loaded.peek()).set(id, Page);
    failed.value = undefined;
  } catch {
    failed.value = id;
  }
}

export function PageOutlet(): VNode {
  useSignalEffect(() => {
    const page = routeOf(path.value)?.page;
    if (page === undefined) return;
    document.title = `${page.title} · Lamina`;
    if (!loaded.peek().has(page.id)) void load(page.id, page.load);
  });
  const route = routeOf(path.value);
  if (route === undefined) {
    return (
      <div class="page">
        <h1>There is no such page</h1>
        <p>
          The address may be from another version. <a href={`${ROOT}/search`}>Go to Search</a>.
        </p>
      </div>
    );
  }
  const Page = loaded.value.get(route.page.id);
  if (Page !== undefined) {
    return (
      <ErrorBoundary key={route.page.id}>
        <Page rest={route.rest} />
      </ErrorBoundary>
    );
  }
  if (failed.value !== route.page.id) return <PageSkeleton />;
  return (
    <EmptyState title="This page could not be loaded">
      <p>The service may have been updated or stopped since.</p>
      <button type="button" class="button button-primary" onClick={() => window.location.reload()}>
        Load again
      </button>
    </EmptyState>
  );
}
