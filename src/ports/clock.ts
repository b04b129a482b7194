/** Time and names, as ports, so that tests can hold them still. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface Ids {
  /** A new UUIDv7, later than every one before it. */
  next(): string;
}
