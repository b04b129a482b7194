/** Builds the inspector into dist/inspector. Ends quietly where its build tools are not installed. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const OUT = 'dist/inspector';
const COMPRESSIBLE = /\.(js|css|html|svg)$/;

/** Beside each file what a server can send as it is. */
async function compress(): Promise<number> {
  let gzipped = 0;
  for (const file of await readdir(OUT, { recursive: true })) {
    if (!COMPRESSIBLE.test(file)) continue;
    const content = await readFile(join(OUT, file));
    const small = gzipSync(content, { level: 9 });
    gzipped += small.length;
    await writeFile(join(OUT, `${file}.gz`), small);
    await writeFile(join(OUT, `${file}.br`), brotliCompressSync(content));
  }
  return gzipped;
}

const vite = await import('vite').catch(() => undefined);
if (vite === undefined) {
  console.log('The inspector was not built: vite is not installed.');
} else {
  await vite.build({ configFile: 'inspector/vite.config.ts', logLevel: 'warn' });
  console.log(`dist/inspector is built: ${Math.round((await compress()) / 1024)} KB gzipped.`);
}
