/** Ids of what is said in a turn: the same when the turn is repeated, and in the order in which it was said. */

const UUID_LENGTH = 16;
const ORDINAL_AT = 9;
const MAX_ORDINAL = 255;

/** 32 bytes that are equal for equal texts only. */
export async function seedOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/** The same as a short text. */
export function seedKey(seed: Uint8Array): string {
  return [...seed].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes that no other turn has. */
export function randomSeed(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(UUID_LENGTH));
}

/** Another that follows from this one. */
export function nextSeed(seed: Uint8Array): Promise<Uint8Array> {
  return seedOf(`after ${seedKey(seed)}`);
}

/**
 * A UUID of version 8: the turn, the place within it, and what was said. What is logged in one millisecond lists in the
 * order of its ids.
 */
export async function episodeId(seed: Uint8Array, ordinal: number, content: string): Promise<string> {
  const bytes = seed.slice(0, UUID_LENGTH);
  bytes.set((await seedOf(content)).subarray(0, UUID_LENGTH - ORDINAL_AT - 1), ORDINAL_AT + 1);
  bytes[ORDINAL_AT] = Math.min(ordinal, MAX_ORDINAL);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = seedKey(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
