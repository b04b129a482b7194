/** Moves the focus along a list of links, for `j` and `k`. */

/** One step from the element that has the focus; the first where none of them has it. */
export function moveFocus(selector: string, step: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = all.findIndex((element) => element === document.activeElement);
  const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
