/** Keys. A page says what its keys do with `useKeys`; what it says is in the help (`?`) while it is there. */

import { signal, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface KeyBinding {
  /** As `event.key` has it, such as `j`, `Enter`, `?`; two after one another with a space: `g s`. */
  readonly keys: readonly string[];
  /** For the help; without it the binding is not told there. */
  readonly help?: string;
  readonly run: () => void;
  /** Also while a text is being typed. */
  readonly whileTyping?: boolean;
}

interface Group {
  readonly title: string;
  readonly bindings: readonly KeyBinding[];
}

const active = signal<readonly { readonly current: Group }[]>([]);

/** What the help tells. */
export const keyGroups: ReadonlySignal<readonly { readonly current: Group }[]> = active;

/** These keys work as long as the component is there. The newest component wins. */
export function useKeys(title: string, bindings: readonly KeyBinding[]): void {
  const group = useRef<Group>({ title, bindings });
  group.current = { title, bindings };
  // Before it is seen: whoever sees it may press a key, and an effect waits for the next frame.
  useLayoutEffect(() => {
    active.value = [...active.peek(), group];
    return () => {
      active.value = active.peek().filter((other) => other !== group);
    };
  }, []);
}

/** After this long the first key of two is forgotten. */
const CHORD_MS = 1200;

let chord: { readonly key: string; readonly at: number } | undefined;

export function followKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const binding = bindingOf(event);
    if (binding === undefined) return;
    event.preventDefault();
    binding.run();
  });
}

function bindingOf(event: KeyboardEvent): KeyBinding | undefined {
  const isTyping = isTextField(event.target);
  const first = chord && performance.now() - chord.at < CHORD_MS ? `${chord.key} ` : '';
  chord = undefined;
  // A dialog is its own world: the browser closes it with Escape.
  if (document.querySelector('dialog[open]') !== null) return undefined;
  const all = active
    .peek()
    .toReversed()
    .flatMap(({ current }) => current.bindings)
    .filter(({ whileTyping }) => !isTyping || whileTyping === true);
  if (!isTyping && all.some(({ keys }) => keys.some((key) => key.startsWith(`${event.key} `)))) {
    chord = { key: event.key, at: performance.now() };
  }
  if (isOnControl(event)) return undefined;
  return all.find(({ keys }) => keys.includes(first + event.key));
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|range|button)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Enter and the space bar belong to the button or link that has the focus; arrows to a slider. */
function isOnControl({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === 'Enter' || key === ' ') return target.closest('button, a, summary, [role=option]') !== null;
  return key.startsWith('Arrow') && target instanceof HTMLInputElement && target.type !== 'search';
}
