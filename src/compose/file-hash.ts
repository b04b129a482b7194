/** SHA-256 of a file, read piece by piece. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** In hexadecimal. Throws what the file system says. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
