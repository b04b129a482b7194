/** Where one is: the path and the query of the address bar as a signal. Everything that can be linked to lives there. */

import { computed, signal, type ReadonlySignal } from '@preact/signals';

export const ROOT = '/inspect';

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const here = signal<Place>(read());

export const path: ReadonlySignal<string> = computed(() => here.value.path);

function read(): Place {
  return { path: window.location.pathname, query: new URLSearchParams(window.location.search) };
}

interface GoOptions {
  /** Without a new step in the history: for what changes with every key. */
  readonly replace?: boolean;
}

/** Goes to an address of the inspector. */
export function go(href: string, { replace = false }: GoOptions = {}): void {
  if (href !== window.location.pathname + window.location.search) {
    window.history[replace ? 'replaceState' : 'pushState'](null, '', href);
  }
  here.value = read();
}

/** Changes parts of the query; undefined and empty texts are taken out. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, options: GoOptions = {}): void {
  go(hrefWith(changes), options);
}

/** The address of the same page with other parts of the query. */
export function hrefWith(changes: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(here.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return here.value.path + (text === '' ? '' : `?${text}`);
}

/** A part of the query, or an empty text. */
export function queryOf(name: string): string {
  return here.value.query.get(name) ?? '';
}

/** A list in the query, as `layers=user,project`. */
export function queryListOf(name: string): string[] {
  return queryOf(name)
    .split(',')
    .filter((item) => item !== '');
}

/** Follows the history, and takes clicks on links of the inspector over: a page is not loaded twice. */
export function followLocation(): void {
  window.addEventListener('popstate', () => (here.value = read()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.origin !== window.location.origin) return;
    if (!link.pathname.startsWith(`${ROOT}/`)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
