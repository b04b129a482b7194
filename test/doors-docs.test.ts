/** The pages of the doors to frameworks: what they say to install is what the door imports. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageOf, readSourceFiles } from './source-files.ts';

const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  peerDependencies: Record<string, string>;
};

describe.each(['ai-sdk', 'effect', 'langgraph'])('docs/%s.md', (door) => {
  it('names every optional package that the door imports where it says what to install', () => {
    const imports = readSourceFiles(`src/${door}`).flatMap((file) => file.imports);
    const wanted = new Set(
      imports.filter(({ isTypeOnly }) => !isTypeOnly).map(({ specifier }) => packageOf(specifier)),
    );
    const peers = [...wanted].filter((name) => Object.hasOwn(peerDependencies, name));
    expect(peers).not.toEqual([]);
    const install = /^npm install (.*)$/m.exec(readFileSync(`docs/${door}.md`, 'utf8'))?.[1]?.split(' ');
    expect(install).toEqual(expect.arrayContaining(peers));
  });
});
