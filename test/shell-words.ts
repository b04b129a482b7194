/** What a shell makes of a line: its words, and nothing run. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export async function shellWords(line: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('bash', ['-c', `printf '%s\\0' ${line}`]);
  return stdout.split('\0').slice(0, -1);
}
