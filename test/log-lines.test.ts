/** Log lines go out together, in order, and none is held for longer than a turn of the event loop. */

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { logLines } from '../src/cli/terminal/log-lines.ts';

it('writes the lines of a turn at once, and those of the next by themselves', async () => {
  const written: string[] = [];
  const lines = logLines({ write: (text) => written.push(text) });
  lines.write('a\n');
  lines.write('b\n');
  expect(written).toEqual([]);
  await setImmediate();
  expect(written).toEqual(['a\nb\n']);
  lines.write('c\n');
  await setImmediate();
  expect(written).toEqual(['a\nb\n', 'c\n']);
});
