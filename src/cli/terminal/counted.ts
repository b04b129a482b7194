/** How many of something, in words. */

/** `counted(1, 'line')` is `1 line`, `counted(2, 'memory', 'memories')` is `2 memories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
