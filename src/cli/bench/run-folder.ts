/** The folder of a run: which run it is, and what came of each conversation that is done. */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { LaminaError } from '../../domain/error.ts';
import { recallResultSchema, type RecallResult } from './recall-result.ts';

const RUN_FILE = 'run.json';

/** The folder in it for memory, where no database is named. */
export const MEMORY_FOLDER = 'memory';

/** What must be the same for results to stand in one table. */
export type RunDescription = Readonly<Record<string, unknown>>;

const runSchema = z.strictObject({
  tenantId: z.uuid().describe('Under which the conversations lie in the database.'),
  description: z.record(z.string(), z.unknown()),
});

export class RunFolder {
  readonly path: string;
  readonly tenantId: string;

  private constructor(path: string, tenantId: string) {
    this.path = path;
    this.tenantId = tenantId;
  }

  /** Begins a run in it, or goes on with one. Throws `VALIDATION_FAILED` for a folder that holds another run. */
  static async open(path: string, description: RunDescription): Promise<RunFolder> {
    const file = join(path, RUN_FILE);
    const text = await textOf(file);
    if (text !== undefined) return new RunFolder(path, tenantOf(path, text, description));
    const tenantId = randomUUID();
    await writeWhole(file, { tenantId, description });
    return new RunFolder(path, tenantId);
  }

  /** Undefined where that conversation is not done. */
  async read(index: number, name: string): Promise<RecallResult | undefined> {
    const text = await textOf(this.#fileOf(index));
    if (text === undefined) return undefined;
    const { data } = recallResultSchema.safeParse(jsonOf(text));
    if (data?.name === name) return data;
    throw new LaminaError('VALIDATION_FAILED', `"${this.#fileOf(index)}" was changed. Remove it, and it is done anew.`);
  }

  async write(index: number, result: RecallResult): Promise<void> {
    await writeWhole(this.#fileOf(index), result);
  }

  #fileOf(index: number): string {
    return join(this.path, `conversation-${String(index + 1).padStart(4, '0')}.json`);
  }
}

/** Makes it where it is not there. Throws `VALIDATION_FAILED` for a folder that holds something else. */
export async function makeRunFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  const isOwn = (name: string): boolean =>
    name === MEMORY_FOLDER || /^(run|conversation-\d+)\.json(\.new)?$/u.test(name);
  const other = (await readdir(path)).find((name) => !isOwn(name));
  if (other === undefined) return;
  throw new LaminaError(
    'VALIDATION_FAILED',
    `The folder "${path}" holds something else ("${other}"). Name an empty or a new one.`,
  );
}

function tenantOf(path: string, text: string, description: RunDescription): string {
  const { data } = runSchema.safeParse(jsonOf(text));
  if (data === undefined) {
    throw new LaminaError('VALIDATION_FAILED', `"${join(path, RUN_FILE)}" is not of a run. Name another folder.`);
  }
  const names = [...new Set([...Object.keys(data.description), ...Object.keys(description)])];
  const other = names.filter((name) => !isDeepStrictEqual(data.description[name], description[name]));
  if (other.length === 0) return data.tenantId;
  const differences = other.map(
    (name) => `${name} (there ${shown(data.description[name])}, here ${shown(description[name])})`,
  );
  throw new LaminaError(
    'VALIDATION_FAILED',
    `The folder "${path}" holds another run. It differs in ${differences.join(', ')}. Name another folder.`,
  );
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Either all of it is there or nothing, also after a kill. */
async function writeWhole(file: string, value: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(value)}\n`);
  await rename(`${file}.new`, file);
}
