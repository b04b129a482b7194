/**
 * Removals of which Redis has not heard: noted in the database while it stands in, so that what lies in Redis does not
 * come back. They are state themselves, in namespaces beside those that they are about: of the same owner for whoever
 * keeps users apart, and gone with them. A number at the end tells them from all others, which hold only texts.
 */

const REMOVED = ',0]';
const CLEARED = ',1]';

/** Where the keys stand that were removed from a namespace. */
export function removedNamespace(namespace: string): string {
  return namespace.slice(0, -1) + REMOVED;
}

/** Where it stands that everything was removed from a namespace, under any key. */
export function clearedNamespace(namespace: string): string {
  return namespace.slice(0, -1) + CLEARED;
}

/** What a namespace of either kind is about; undefined for any other. */
export function removalsIn(place: string): { readonly namespace: string; readonly isAll: boolean } | undefined {
  if (!place.endsWith(REMOVED) && !place.endsWith(CLEARED)) return undefined;
  return { namespace: `${place.slice(0, -REMOVED.length)}]`, isAll: place.endsWith(CLEARED) };
}
