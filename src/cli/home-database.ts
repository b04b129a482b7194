/** The database of commands that somebody runs for themselves, wherever they are: the one that `lamina mcp` serves. */

import { homedir } from 'node:os';
import { join } from 'node:path';

export function homeDatabase(): string {
  return `sqlite:${join(homedir(), '.lamina')}`;
}
