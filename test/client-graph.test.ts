/** The client runs in a browser: nothing that it loads, however far away, may be Node's. */

import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageOf, readSourceFiles, resolveImport } from './source-files.ts';

const BROWSER_PACKAGES = ['uuid', 'zod'];

describe('what the client loads', () => {
  const files = new Map(readSourceFiles('src').map((file) => [file.path, file]));
  const reached = new Set(['src/client/index.ts']);
  const packages = new Set<string>();
  for (const path of reached) {
    for (const { specifier, isTypeOnly } of files.get(path)?.imports ?? []) {
      const target = resolveImport(path, specifier);
      if (isTypeOnly) continue;
      if (target === undefined) packages.add(packageOf(specifier));
      else reached.add(target);
    }
  }

  it('is found', () => {
    expect(reached.size).toBeGreaterThanOrEqual(5);
    expect([...reached].filter((path) => !existsSync(path))).toEqual([]);
    expect([...reached]).toContain('src/operations/wire-mapper.ts');
  });

  it('runs in a browser', () => {
    expect([...packages].filter((name) => !BROWSER_PACKAGES.includes(name))).toEqual([]);
    const nodeGlobals = /\b(process\.\w|Buffer\.|require\(|__dirname|setImmediate\(|global\.)/;
    const strays = [...reached].filter((path) => nodeGlobals.test(files.get(path)?.text ?? ''));
    expect(strays).toEqual([]);
  });
});
