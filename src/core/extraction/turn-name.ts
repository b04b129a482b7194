/** By which names turns are known again: two of a user's agent cannot have the same. Pure. */

import { createHash } from 'node:crypto';
import type { Entry } from '../../domain/entry.ts';
import type { Said } from './said.ts';

const PREFIX = 'remembered:';

/** Sixteen bits: enough to tell a text that is sent again from another one, too little to tell what it was. */
const TRACE = 4;

/** By which a message is known wherever it stands; undefined where its place tells. */
export function messageName(sessionId: string | undefined, said: Said): string | undefined {
  if (said.id !== undefined) return hashed(['message', sessionId ?? null, said.id]);
  return said.role === 'system' ? hashed(['system', sessionId ?? null, said.contentHash, said.repetition]) : undefined;
}

export function placeName(sessionId: string, turn: number): string {
  return hashed(['turn', sessionId, turn]);
}

/** The name that the message of a turn brought along; undefined where it goes by its place, or came by other ways. */
export function givenName({ externalId, turn, identifiers: { sessionId } }: Entry): string | undefined {
  if (!isRemembered({ externalId })) return undefined;
  const isPlace = sessionId !== undefined && turn !== undefined && externalId === placeName(sessionId, turn);
  return isPlace ? undefined : externalId;
}

/** Whether it is a turn of a conversation that was sent to be remembered. */
export function isRemembered({ externalId }: Pick<Entry, 'externalId'>): boolean {
  return externalId?.startsWith(PREFIX) ?? false;
}

/** What is left of a turn that was deleted: its name, or where it had none a trace of what it said. */
export function markOf({ role, contentHash }: Pick<Entry, 'role' | 'contentHash'>, name: string | undefined): string {
  return name ?? sha256(`${role} ${contentHash}`).slice(0, TRACE);
}

/** Ids of messages may be long, and an external id may not. */
function hashed(name: readonly (string | number | null)[]): string {
  return `${PREFIX}${sha256(JSON.stringify(name))}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
