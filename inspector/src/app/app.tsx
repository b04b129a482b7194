/** The shell: the sidebar, the page of the address, and what may lie over it. */

import { useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { refusal } from '../api/session.ts';
import { ConfirmDialog } from './confirm.tsx';
import { HelpDialog, isHelpOpen } from './help.tsx';
import { useKeys } from './keyboard.ts';
import { go, path } from './location.ts';
import { PageOutlet } from './page-outlet.tsx';
import { PAGES } from './pages.ts';
import { Sidebar } from './sidebar.tsx';
import { SignInDialog } from './sign-in.tsx';
import { Toasts } from './toasts.tsx';
import { isWhoOpen, WhoDialog } from './who.tsx';

export function App(): VNode {
  useSignalEffect(() => {
    if (path.value === '/' || path.value === '/inspect' || path.value === '/inspect/') {
      go(`${PAGES[0]?.path ?? '/'}${window.location.search}`, { replace: true });
    }
  });
  useEffect(() => performance.mark('lamina-interactive') && undefined, []);
  useKeys('Everywhere', [
    { keys: ['/'], help: 'Search', run: focusSearch },
    ...PAGES.filter(({ key }) => key !== '').map((page) => ({
      keys: [`g ${page.key}`],
      help: `Go to ${page.title}`,
      run: () => go(page.path),
    })),
    { keys: ['?'], help: 'This help', run: () => (isHelpOpen.value = true) },
    { keys: ['w'], help: 'Who am I', run: () => (isWhoOpen.value = true) },
  ]);
  return (
    <div class="shell">
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <Sidebar />
      <main id="main" class="main" tabIndex={-1}>
        <PageOutlet />
      </main>
      <Toasts />
      <ConfirmDialog />
      {isHelpOpen.value && <HelpDialog />}
      {isWhoOpen.value && <WhoDialog />}
      {refusal.value !== undefined && <SignInDialog reason={refusal.value} />}
    </div>
  );
}

/** The field of this page to search in, or else the page to search on, which focuses its own. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('input[data-search]');
  if (field === null) go(PAGES[0]?.path ?? '/');
  else {
    field.focus();
    field.select();
  }
}
