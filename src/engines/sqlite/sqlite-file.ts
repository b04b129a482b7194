/**
 * A tenant's file on disk. It is deleted only while no other process has it open; so there is one moment to watch, in
 * which somebody opens it: what was opened may be deleted just then, and live on under no name.
 */

import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LaminaError } from '../../domain/error.ts';
import { makeFolder } from '../sql/make-folder.ts';
import { makePrivateFile } from './private-file.ts';
import { unopened } from './sqlite-error.ts';

/** Thrown when the file was deleted while it was opened: it can be opened again, and is then another one. */
export class SqliteFileGone extends Error {}

export class SqliteFile {
  readonly path: string;
  readonly #identity: number | undefined;

  /**
   * Makes an empty file where there is none. Call before it is opened, and {@link assertInPlace} afterwards: then what
   * was opened is what was seen here. Throws `UNAVAILABLE`.
   */
  constructor(path: string) {
    this.path = path;
    make(path);
    this.#identity = identityOf(path);
  }

  /** Throws {@link SqliteFileGone}. */
  assertInPlace(): void {
    if (!this.#isInPlace()) throw new SqliteFileGone('The file of this tenant was deleted while it was opened.');
  }

  /** The same of one that has been open for long. Throws `UNAVAILABLE`: what were written to it would be found by nobody. */
  assertStillInPlace(): void {
    if (this.#isInPlace()) return;
    const what = 'The file of this tenant was moved, replaced or deleted while it was open';
    throw new LaminaError('UNAVAILABLE', `${what}. Nothing was written. Put it back, or restart the process.`);
  }

  #isInPlace(): boolean {
    return this.#identity !== undefined && this.#identity === identityOf(this.path);
  }

  /** Durable: it must not come back after a loss of power. */
  delete(): void {
    rmSync(this.path, { force: true });
    // Windows has no such thing as opening a folder.
    if (process.platform === 'win32') return;
    const folder = openSync(dirname(this.path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }
}

function make(path: string): void {
  try {
    // The data is nobody else's business on this machine either.
    makeFolder(dirname(path), 0o700);
    makePrivateFile(path);
  } catch (error) {
    throw unopened(error);
  }
}

function identityOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
