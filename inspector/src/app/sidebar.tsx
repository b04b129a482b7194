/** The pages, and who one is. On a phone it is a bar at the bottom. */

import type { VNode } from 'preact';
import { credential, identity, isRefused } from '../api/session.ts';
import { Icon } from '../components/icon.tsx';
import { isHelpOpen } from './help.tsx';
import { path } from './location.ts';
import { PAGES, routeOf, type PageRoute } from './pages.ts';
import { applyTheme, theme, THEMES } from './theme.ts';
import { isWhoOpen } from './who.tsx';

export function Sidebar(): VNode {
  const page = routeOf(path.value)?.page;
  const current = page?.under ?? page?.id;
  return (
    <header class="sidebar">
      <div class="brand">
        <img src="/favicon.svg" alt="" width="22" height="22" />
        <span>Lamina</span>
      </div>
      <nav aria-label="Pages">
        <ul>
          {PAGES.filter(({ under }) => under === undefined).map((one) => (
            <li key={one.id}>
              <NavLink page={one} isCurrent={one.id === current} />
            </li>
          ))}
        </ul>
      </nav>
      <div class="sidebar-foot">
        <button type="button" class="who-button" onClick={() => (isWhoOpen.value = true)} title="Who am I (w)">
          <Icon name={credential.value === undefined ? 'user' : 'key'} />
          <span class="who-name">{whoText()}</span>
        </button>
        <div class="sidebar-tools">
          <ThemeButton />
          <button
            type="button"
            class="icon-button"
            aria-label="Keyboard help"
            title="Keyboard help (?)"
            onClick={() => (isHelpOpen.value = true)}
          >
            <Icon name="help" />
          </button>
        </div>
      </div>
    </header>
  );
}

function NavLink({ page, isCurrent }: { readonly page: PageRoute; readonly isCurrent: boolean }): VNode {
  return (
    <a
      class="nav-link"
      href={page.path}
      title={`${page.title} (g ${page.key})`}
      {...(isCurrent && { 'aria-current': 'page' })}
    >
      <Icon name={page.icon} />
      <span class="nav-title">{page.title}</span>
      <span class="nav-short" aria-hidden="true">
        {page.shortTitle ?? page.title}
      </span>
      <kbd class="nav-key" aria-hidden="true">
        {page.key}
      </kbd>
    </a>
  );
}

function whoText(): string {
  if (credential.value !== undefined) return isRefused.value ? 'Credential refused' : 'Signed in';
  const { userId, agentId, tenantId } = identity.value;
  const name = userId ?? (tenantId === undefined && agentId === undefined ? 'Operator' : 'local');
  return agentId === undefined ? name : `${name} · ${agentId}`;
}

const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

function ThemeButton(): VNode {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  const label = `Theme: ${theme.value}. Switch to ${next}`;
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={() => applyTheme(next)}>
      <Icon name={THEME_ICONS[theme.value]} />
    </button>
  );
}
