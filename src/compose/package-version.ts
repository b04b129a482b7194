/** The version of this package. */

import { readFile } from 'node:fs/promises';

/** As package.json states it, which stands two folders up both in a checkout and in the published package. */
export async function packageVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
