/** An import whose process is killed in the middle is finished by the same command. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { indexedLexemes } from '../src/core/remember/content.ts';
import { systemClock } from '../src/compose/system.ts';
import { embeddingOf, entryOf, partitionOfEntry } from '../src/testing/entry-write.ts';
import { exported } from './bundle-files.ts';
import { LaminaProcess } from './lamina-process.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const COUNT = 3000;

async function fill({ archive }: SqliteEngine): Promise<void> {
  const embedding = await embeddingOf('the same for all of them');
  const entries = Array.from({ length: COUNT }, (_, index) => entryOf({ content: `note number ${index}` }));
  await archive.write(
    NIL_TENANT,
    'entries',
    entries.map((entry) => ({
      entry,
      partition: partitionOfEntry(entry),
      lexemes: indexedLexemes(entry),
      embeddings: [embedding],
    })),
  );
}

/** Only of the items: the header tells when. */
const itemsIn = (bundle: string): string[] => bundle.split('\n').filter((line) => line.startsWith('{"collection"'));

async function bundleIn(folder: string): Promise<string> {
  const engine = new SqliteEngine({ folder, clock: systemClock });
  try {
    return await exported(engine, systemClock, NIL_TENANT);
  } finally {
    await engine.close();
  }
}

it('goes on after kill -9 and after Ctrl-C', { timeout: 120_000 }, async () => {
  const folder = await makeFolder();
  try {
    const source = new SqliteEngine({ folder: join(folder, 'source'), clock: systemClock });
    await fill(source);
    await source.close();
    const bundle = await bundleIn(join(folder, 'source'));
    await writeFile(join(folder, 'bundle.jsonl'), bundle);
    const start = (): LaminaProcess =>
      new LaminaProcess(['import', 'bundle.jsonl', '--database', 'sqlite:target'], folder);
    for (const [signal, code] of [
      ['SIGKILL', null],
      ['SIGINT', 130],
    ] as const) {
      const stopped = start();
      // The first page has arrived.
      while (!/of 3000.*entries/.test(stopped.stderr)) await new Promise((resolve) => setTimeout(resolve, 5));
      stopped.child.kill(signal);
      expect((await stopped.ended()).code).toBe(code);
    }
    expect(itemsIn(await bundleIn(join(folder, 'target'))).length).toBeLessThan(COUNT);
    expect((await start().ended()).code).toBe(0);
    expect(itemsIn(await bundleIn(join(folder, 'target')))).toEqual(itemsIn(bundle));
  } finally {
    await removeFolder(folder);
  }
});
