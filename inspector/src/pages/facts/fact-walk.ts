/** Where one is in the graph, as the address has it: a walk from one thing, what is opened on it, what is selected. */

import { hrefWith, queryOf, setQuery } from '../../app/location.ts';

/** Names may contain anything but this. */
const BETWEEN = '\n';

/** Where a walk began and what was opened on it, in order; undefined where one looks at everything. */
export function walkInAddress(): readonly string[] | undefined {
  const start = queryOf('from');
  if (start === '') return undefined;
  const opened = queryOf('open')
    .split(BETWEEN)
    .filter((name) => name !== '' && name !== start);
  return [start, ...opened];
}

export function startWalkHref(name: string): string {
  return hrefWith({ from: name, node: name, open: undefined });
}

export function startWalk(name: string): void {
  setQuery({ from: name, node: name, open: undefined });
}

export function endWalk(): void {
  setQuery({ from: undefined, open: undefined });
}

/** Opens what is closed on a walk; where everything is shown, a walk begins there. */
export function openNode(name: string): void {
  const walk = walkInAddress();
  if (walk === undefined) startWalk(name);
  else if (!walk.includes(name)) setQuery({ open: [...walk.slice(1), name].join(BETWEEN), node: name });
}

export function closeNode(name: string): void {
  const walk = walkInAddress();
  setQuery({
    open: (walk ?? [])
      .slice(1)
      .filter((other) => other !== name)
      .join(BETWEEN),
  });
}

export function selectNode(name: string | undefined): void {
  setQuery({ node: name });
}

export function nodeHref(name: string | undefined): string {
  return hrefWith({ node: name });
}
