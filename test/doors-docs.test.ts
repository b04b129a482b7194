/** The pages of the doors to frameworks: what they say to install is what the door imports, and what they write is there. */

import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LaminaClient, type LaminaClientOptions } from '../src/client/index.ts';
import { packageOf, readSourceFiles } from './source-files.ts';

const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  peerDependencies: Record<string, string>;
};

/** Every option once, so that the compiler says when one is missing here. */
const CLIENT_OPTIONS: Record<keyof LaminaClientOptions, true> = {
  url: true,
  principal: true,
  token: true,
  headers: true,
  retry: true,
  timeoutMs: true,
  fetch: true,
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
    expect(install).toEqual(expect.arrayContaining(['lamina', ...peers]));
  });
});

describe('every page', () => {
  it('makes a client with options that there are', () => {
    const pages = [...globSync('{docs,examples}/**/*.md'), 'README.md'].map((path) => readFileSync(path, 'utf8'));
    const clients = pages.flatMap((page) => [
      ...page.matchAll(new RegExp(`new ${LaminaClient.name}\\(\\{([^}]*)`, 'g')),
    ]);
    expect(clients.length).toBeGreaterThan(3);
    const names = clients.flatMap(([, options = '']) =>
      options.split(',').map((each) => each.split(':')[0]?.trim() ?? ''),
    );
    expect(names.filter((name) => name !== '' && !Object.hasOwn(CLIENT_OPTIONS, name))).toEqual([]);
  });
});
