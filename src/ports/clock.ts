/** Time and ids, as ports, so that tests can control them. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface Ids {
  /** A new UUIDv7, greater than every one before it. */
  next(): string;
}
