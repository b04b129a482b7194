/**
 * The file behind a tenant's connections: whether it still stands in its place, and how it is deleted. A file that
 * another process has deleted lives on for those who have it open; what they write there would be lost.
 */

import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LaminaError } from '../../domain/error.ts';
import type { Clock } from '../../ports/clock.ts';

/** Thrown by what was done to a file that is not in its place any more; it has had no effect and can be repeated. */
export class SqliteFileGone extends Error {}

/** How long a look at the folder is trusted by those who only read. */
const TRUST_MS = 500;

export class SqliteFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #identity: number | undefined;
  #seenAt: number;

  /**
   * Makes an empty file where there is none. Call before it is opened, and {@link assertInPlace} afterwards: then what
   * was opened is what was seen here.
   */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    make(path);
    this.#identity = identityOf(path);
    this.#seenAt = clock.now();
  }

  /** Certain only while its lock is held. */
  isInPlace(): boolean {
    this.#seenAt = this.#clock.now();
    return this.#identity !== undefined && this.#identity === identityOf(this.#path);
  }

  wasInPlaceLately(): boolean {
    return Math.abs(this.#clock.now() - this.#seenAt) < TRUST_MS || this.isInPlace();
  }

  /** Throws {@link SqliteFileGone}. */
  assertInPlace(): void {
    if (!this.isInPlace()) throw new SqliteFileGone('The file of this tenant was deleted by another process.');
  }

  /** Durable. The file itself goes last: as long as it is there, a deletion that was cut short can be repeated. */
  delete(): void {
    for (const end of ['-wal', '-shm', '']) rmSync(`${this.#path}${end}`, { force: true });
    flushFolder(dirname(this.#path));
  }
}

function make(path: string): void {
  try {
    // The data is nobody else's business on this machine either.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a'));
  } catch (error) {
    throw new LaminaError('UNAVAILABLE', 'The file of this tenant cannot be opened.', { cause: error });
  }
}

function identityOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** A file that is gone must not come back after a loss of power. */
function flushFolder(folder: string): void {
  // Windows has no such thing as opening a folder.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
