/** Who the service takes us for, asked once per principal. */

import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Principal } from '../../../src/domain/principal.ts';
import { ask } from './ask.ts';
import { principalKey } from './session.ts';

const known = signal<Principal | undefined>(undefined);

/** Undefined until it is known. */
export const me: ReadonlySignal<Principal | undefined> = known;

/** Follows the principal from now on. */
export function followMe(): void {
  effect(() => {
    const key = principalKey.value;
    known.value = undefined;
    void learn(key);
  });
}

async function learn(key: string): Promise<void> {
  try {
    const principal = await ask((memory) => memory.principal.get({}));
    if (principalKey.peek() === key) known.value = principal;
  } catch {
    // Told by whatever else the page asks.
  }
}
