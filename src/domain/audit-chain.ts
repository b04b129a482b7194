/**
 * The links between entries of an audit log: each carries the hash of the one before it, so that any change, removal or
 * insertion is detected. A person can be erased without breaking it: a hash covers the pseudonym, not the name.
 */

import type { AuditEntry } from './audit.ts';
import { canonicalJson } from './json.ts';

/** SHA-256 of a text in UTF-8, in hexadecimal. */
export type Sha256 = (text: string) => string;

/** The place of the last entry, and its hash. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

export interface ChainLink {
  readonly sequence: number;
  readonly previous: string;
  readonly hash: string;
}

const PSEUDONYM = /^sha256:[0-9a-f]{64}$/;

/** The pseudonym of an erased user in an audit log. */
function pseudonymBy(sha256: Sha256, actor: string): string {
  return PSEUDONYM.test(actor) ? actor : `sha256:${sha256(actor)}`;
}

/** The entry that follows the head. `log` is the id of the tenant, or its substitute. */
export function linkAfter(sha256: Sha256, log: string, head: ChainHead, entry: AuditEntry): AuditEntry & ChainLink {
  const [sequence, previous] = [head.sequence + 1, head.hash];
  const { hash: _hash, ...bare } = entry;
  const linked = { ...bare, sequence, previous };
  return { ...linked, hash: linkHash(sha256, log, linked) };
}

/** Over the entry without its hash, as canonical JSON: sorted keys, no spaces. */
export function linkHash(sha256: Sha256, log: string, entry: AuditEntry): string {
  const { hash: _hash, ...linked } = entry;
  return sha256(canonicalJson({ ...linked, actor: pseudonymBy(sha256, entry.actor), log }));
}

/** An entry, and the log that it belongs to. */
export interface LoggedEntry {
  readonly log: string;
  readonly entry: AuditEntry;
}

/** What the first link follows: a seal over all entries older than the chain, in any order. */
export function sealOf(sha256: Sha256, before: readonly LoggedEntry[]): string {
  return sha256(
    before
      .map(({ log, entry }) => linkHash(sha256, log, entry))
      .toSorted()
      .join(),
  );
}

/** Whether an imported entry with a link follows the current head. */
export function isNext(
  sha256: Sha256,
  log: string,
  head: ChainHead,
  entry: AuditEntry,
): entry is AuditEntry & ChainLink {
  return (
    entry.sequence === head.sequence + 1 && entry.previous === head.hash && entry.hash === linkHash(sha256, log, entry)
  );
}
