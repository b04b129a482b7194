/** A real Lamina in a folder of its own, and the service in front of one. */

import { onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import type { LaminaOptions } from '../src/compose/lamina-options.ts';
import type { Memory } from '../src/operations/memory.ts';
import { createServer } from '../src/server/create-server.ts';
import type { ServerDependencies } from '../src/server/dependencies.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

export interface OpenLamina {
  readonly lamina: Lamina;
  readonly folder: string;
  readonly embedder: HashEmbedder;
  /** The memory of an administrator. */
  readonly root: Memory;
  /** Removes the folder too, unless it was given. */
  close(): Promise<void>;
}

interface OpenOptions extends Omit<LaminaOptions, 'embedder'> {
  readonly embedder?: HashEmbedder;
}

export async function openLamina(options: OpenOptions = {}): Promise<OpenLamina> {
  const { folder = await makeFolder(), embedder = new HashEmbedder() } = options;
  const lamina = await Lamina.open({ ...options, folder, embedder });
  return {
    lamina,
    folder,
    embedder,
    root: lamina.as({ userId: 'root', roles: ['admin'] }),
    close: async () => {
      await lamina.close();
      if (options.folder === undefined) await removeFolder(folder);
    },
  };
}

export interface ServedLamina {
  readonly url: string;
  /** Closes the service, not what it stands in front of. */
  close(): Promise<void>;
}

/** Without authentication and without a log, unless the dependencies say otherwise. */
export async function serveLamina(
  lamina: Pick<Lamina, 'invokeAs' | 'followAs' | 'health'>,
  dependencies: Partial<ServerDependencies> = {},
  port = 0,
): Promise<ServedLamina> {
  const server = createServer({
    invokeAs: (principal) => lamina.invokeAs(principal),
    followAs: (principal) => lamina.followAs(principal),
    health: () => lamina.health(),
    metrics: async () => '',
    version: '0.0.0',
    logger: { level: 'silent' },
    ...dependencies,
    // A machine that is busy with other tests is no reason to turn requests away.
    limits: { loopDelayMs: 0, ...dependencies.limits },
  });
  const url = await server.listen({ host: '127.0.0.1', port });
  return { url, close: () => server.close() };
}

/** Closes it when the test that runs now ends; what came last is closed first. */
export function untilTestEnds<T extends { close(): Promise<void> }>(opened: T): T {
  onTestFinished(() => opened.close());
  return opened;
}
