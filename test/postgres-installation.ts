/** Where PostgreSQL with pgvector lies on this machine, if it does. */

import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const OLDEST = 15;

export interface PostgresInstallation {
  /** The folder of `initdb` and `postgres`. */
  readonly programs: string;
  readonly major: number;
  /** Whom it runs as, because PostgreSQL refuses to run as root; undefined: as whoever runs the tests. */
  readonly account: Account | undefined;
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The newest one that will do, else why there is none. */
export function findPostgres(): PostgresInstallation | string {
  const account = findAccount();
  if (typeof account === 'string') return account;
  const found = candidates().flatMap((programs) => {
    const major = majorOf(programs);
    return major >= OLDEST && hasVector(programs) ? [{ programs, major, account }] : [];
  });
  const newest = found.toSorted((one, other) => other.major - one.major)[0];
  return newest ?? `PostgreSQL ${OLDEST} or newer with pgvector is not installed`;
}

/** Undefined where the tests do not run as root and nobody else is needed. */
export function findAccount(): Account | undefined | string {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((which) => Number(answer('id', which, 'postgres')));
  return uid && gid ? { uid, gid } : 'there is no user postgres to run it as, and it refuses to run as root';
}

function candidates(): string[] {
  const places = [
    ...globSync('/usr/lib/postgresql/*/bin'),
    answer('pg_config', '--bindir') ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return [...new Set(places)].filter((place) => place !== '' && existsSync(join(place, 'initdb')));
}

function majorOf(programs: string): number {
  return Number(/\d+/.exec(answer(join(programs, 'postgres'), '--version') ?? '')?.[0] ?? 0);
}

function hasVector(programs: string): boolean {
  const share = answer(join(programs, 'pg_config'), '--sharedir');
  return share !== undefined && existsSync(join(share, 'extension', 'vector.control'));
}

/** What a program prints; undefined where it is missing or fails. */
function answer(program: string, ...args: string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
