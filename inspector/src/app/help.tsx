/** The keys that work where one is. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { Dialog } from '../components/dialog.tsx';
import { keyGroups } from './keyboard.ts';

export const isHelpOpen = signal(false);

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

export function HelpDialog(): VNode {
  return (
    <Dialog title="Keys" isWide onClose={() => (isHelpOpen.value = false)}>
      <div class="help-groups">
        {keyGroups.value.map(({ current: { title, bindings } }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl class="help-keys">
              {bindings
                .filter(({ help }) => help !== undefined)
                .map(({ keys, help }) => (
                  <div key={help}>
                    <dt>
                      {keys.map((key) => (
                        <KeyCaps key={key} keys={key} />
                      ))}
                    </dt>
                    <dd>{help}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="quiet">
        The reference of the service is at <a href="/docs">/docs</a>.
      </p>
    </Dialog>
  );
}

function KeyCaps({ keys }: { readonly keys: string }): VNode {
  return (
    <span class="key-caps">
      {keys.split(' ').map((key) => (
        <kbd key={key}>{NAMES[key] ?? key}</kbd>
      ))}
    </span>
  );
}
