/** Holds the arrows of ARCHITECTURE.md: which room may import which, and how files are named and opened. */

import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { packageOf, parseModule, readSourceFiles, resolveImport, type SourceFile } from './source-files.ts';

/** What each room may import besides itself. `*` is everything. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ['domain'],
  core: ['ports', 'domain'],
  engines: ['ports', 'domain'],
  sealing: ['ports', 'domain'],
  embedding: ['ports', 'domain'],
  language: ['ports', 'domain'],
  // Of embedding the tokeniser and the runtime of local models.
  reranking: ['embedding', 'ports', 'domain'],
  telemetry: ['ports', 'domain'],
  identity: ['ports', 'domain'],
  operations: ['core', 'ports', 'domain'],
  // What agents are given to call, whichever framework they run in.
  tools: ['operations', 'domain'],
  mcp: ['tools', 'operations', 'domain'],
  'ai-sdk': ['tools', 'operations', 'domain'],
  langgraph: ['operations', 'domain'],
  effect: ['operations', 'domain'],
  server: ['mcp', 'operations', 'core', 'domain'],
  workflow: ['operations', 'domain'],
  // Of operations the interface of a memory, and how input is judged.
  providers: ['operations', 'ports', 'domain'],
  client: ['workflow', 'operations', 'domain'],
  // Of embedding only what embedders share, so that the deterministic one is calibrated like the others.
  testing: ['operations', 'core', 'ports', 'domain', 'embedding'],
  cli: ['compose', 'mcp', 'tools', 'operations', 'core', 'domain'],
  compose: ['*'],
  // src/index.ts: what the package is to those who import it.
  '': ['compose', 'workflow', 'operations', 'ports', 'domain'],
};

/** Rooms whose folders are alternatives to each other; `engines/sql` is what the SQL engines share. */
const ALTERNATIVES = ['engines', 'embedding'];
const SHARED = ['engines/sql'];

/** What a browser loads: the client, the helpers over memory and the operations that it speaks. */
const NODE_FREE = /^src\/(client\/|workflow\/|operations\/(table|memory|operation|wire[a-z-]*)\.ts$)/;
const BROWSER_PACKAGES = ['zod', 'uuid'];

const VAGUE_NAMES = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager', 'base', 'types'];
const MAX_LINES = 400;

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

const files = readSourceFiles('src');
const byPath = new Map(files.map((file) => [file.path, file]));
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

const roomOf = (path: string): string => path.split('/').slice(1, -1)[0] ?? '';
const folderOf = (path: string): string => path.split('/').slice(1, -1).slice(0, 2).join('/');

/** Every import of another file: who, whom, and whether it exists while the code runs. */
const edges = files.flatMap((file) =>
  file.imports.flatMap(({ specifier, isTypeOnly }) => {
    const to = resolveImport(file.path, specifier);
    return to === undefined ? [] : [{ from: file.path, to, isTypeOnly }];
  }),
);

/** Every import of a package or of Node. */
const packages = files.flatMap((file) =>
  file.imports
    .filter(({ specifier }) => !specifier.startsWith('.'))
    .map(({ specifier, isTypeOnly }) => ({ from: file.path, specifier, name: packageOf(specifier), isTypeOnly })),
);

/** The paths of files for which something is so: none, in a healthy house, and a readable list otherwise. */
function offenders(isOffence: (file: SourceFile) => boolean): string[] {
  return files.filter(isOffence).map(({ path }) => path);
}

const arrow = ({ from, to }: { from: string; to: string }): string => `${from} → ${to}`;

describe('reading the source', () => {
  it('sees the house', () => {
    expect(files.length).toBeGreaterThanOrEqual(20);
    expect(edges.length).toBeGreaterThan(files.length / 2);
  });

  it('understands every way to import', () => {
    const { imports } = parseModule(`
      /** import { no } from './comment.ts' */
      // import './comment.ts';
      const text = "import './string.ts'";
      const pattern = /['"\`]/;
      import './effect.ts';
      import a, { b } from './value.ts';
      import { type C } from './inline-type.ts';
      import { type D, e } from './mixed.ts';
      import type { F } from './type.ts';
      import * as g from './star.ts';
      export { h } from './re-export.ts';
      export type { I } from './type-re-export.ts';
      export * from './all.ts';
      type J = import('./import-type.ts').J;
      async function k(): Promise<unknown> { return import('./dynamic.ts'); }
      const l = await import(\`./template.ts\`);
    `);
    const specifiers = (isTypeOnly: boolean): string =>
      imports.flatMap((each) => (each.isTypeOnly === isTypeOnly ? [each.specifier] : [])).join(' ');
    expect(specifiers(false)).toBe(
      './effect.ts ./value.ts ./mixed.ts ./star.ts ./re-export.ts ./all.ts ./dynamic.ts ./template.ts',
    );
    expect(specifiers(true)).toBe('./inline-type.ts ./type.ts ./type-re-export.ts ./import-type.ts');
  });

  it('understands what is exported, and what cannot be read', () => {
    expect(parseModule('export * from "./a.ts"').hasExportAll).toBe(true);
    expect(parseModule('export default 1').hasDefaultExport).toBe(true);
    expect(parseModule('const a = 1; export { a as default }').hasDefaultExport).toBe(true);
    expect(parseModule('export const a = 1; export { b } from "./b.ts"')).toMatchObject({
      hasExportAll: false,
      hasDefaultExport: false,
      hasComputedImport: false,
    });
    expect(parseModule('const a = "./a.ts"; void import(a)').hasComputedImport).toBe(true);
  });

  it('resolves what it reads', () => {
    expect(resolveImport('src/core/recall/merge.ts', '../../domain/scope.ts')).toBe('src/domain/scope.ts');
    expect(edges.filter(({ to }) => !existsSync(to)).map(arrow)).toEqual([]);
    expect(packageOf('@scope/name/sub')).toBe('@scope/name');
    expect(packageOf('zod/v4')).toBe('zod');
  });
});

describe('arrows', () => {
  it('knows every room', () => {
    expect([...new Set(files.map(({ path }) => roomOf(path)))].filter((room) => !Object.hasOwn(ARROWS, room))).toEqual(
      [],
    );
  });

  it('go only where they may', () => {
    const strays = edges.filter(({ from, to }) => {
      const allowed = ARROWS[roomOf(from)] ?? [];
      return roomOf(from) !== roomOf(to) && !allowed.includes('*') && !allowed.includes(roomOf(to));
    });
    expect(strays.map(arrow)).toEqual([]);
  });

  it('lead to concrete engines, embedders and telemetry from composition only', () => {
    const strays = edges.filter(({ from, to }) => {
      const isConcrete =
        (ALTERNATIVES.includes(roomOf(to)) && folderOf(to).includes('/')) || roomOf(to) === 'telemetry';
      return isConcrete && roomOf(from) !== roomOf(to) && roomOf(from) !== 'compose';
    });
    expect(strays.map(arrow)).toEqual([]);
  });

  it('do not lead from composition up to the command line', () => {
    expect(edges.filter(({ from, to }) => roomOf(from) === 'compose' && roomOf(to) === 'cli').map(arrow)).toEqual([]);
  });

  it('do not lead from one engine or embedder to another', () => {
    const strays = edges.filter(({ from, to }) => {
      const isAlternative = ALTERNATIVES.includes(roomOf(from)) && roomOf(from) === roomOf(to);
      return (
        isAlternative && folderOf(to).includes('/') && folderOf(from) !== folderOf(to) && !SHARED.includes(folderOf(to))
      );
    });
    expect(strays.map(arrow)).toEqual([]);
  });

  it('do not lead out of src', () => {
    expect(edges.filter(({ to }) => !to.startsWith('src/')).map(arrow)).toEqual([]);
  });

  it('lead from the inspector to what a browser may load, and to types of operations', () => {
    const strays = readSourceFiles('inspector/src').flatMap(({ path, imports }) =>
      imports.flatMap(({ specifier, isTypeOnly }) => {
        const to = resolveImport(path, specifier) ?? '';
        const isFine = /^src\/(client|domain)\//.test(to) || NODE_FREE.test(to) || isTypeOnly;
        return !to.startsWith('src/') || isFine ? [] : [arrow({ from: path, to })];
      }),
    );
    expect(strays).toEqual([]);
  });
});

describe('packages', () => {
  it('are zod alone in the domain, and none in the ports', () => {
    const strays = packages.filter(({ from, name }) => /^src\/(domain|ports)\//.test(from) && name !== 'zod');
    expect(strays.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
  });

  it('are dependencies of ours; those of development lend types at most', () => {
    const published = { ...manifest.dependencies, ...manifest.peerDependencies };
    const strays = packages.filter(({ specifier, name, isTypeOnly }) => {
      if (specifier.startsWith('node:')) return false;
      return !Object.hasOwn(published, name) && !(isTypeOnly && Object.hasOwn(manifest.devDependencies, name));
    });
    expect(strays.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
  });

  it('and Node stay out of what a browser loads, however far it reaches', () => {
    const reached = new Set(files.map(({ path }) => path).filter((path) => NODE_FREE.test(path)));
    expect(reached.size).toBeGreaterThanOrEqual(3);
    for (const path of reached) {
      for (const { from, to, isTypeOnly } of edges) if (from === path && !isTypeOnly) reached.add(to);
    }
    const strays = packages.filter(
      ({ from, name, isTypeOnly }) => reached.has(from) && !isTypeOnly && !BROWSER_PACKAGES.includes(name),
    );
    expect(strays.map(({ from, specifier }) => `${from} → ${specifier}`)).toEqual([]);
    expect([...reached].filter((path) => !byPath.has(path))).toEqual([]);
  });
});

describe('files', () => {
  it('are named in kebab-case after what they hold', () => {
    expect(offenders(({ path }) => !/^src\/([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path))).toEqual(
      [],
    );
    expect(offenders(({ path }) => path.split(/[/.-]/).some((word) => VAGUE_NAMES.includes(word)))).toEqual([]);
  });

  it('open with a sentence that says what they are for', () => {
    expect(offenders(({ text }) => !/^(#!.*\n)?(\/\*\*|\/\/) ?\s*\S/.test(text))).toEqual([]);
  });

  it(`have at most ${MAX_LINES} lines`, () => {
    expect(offenders(({ text }) => text.split('\n').length - 1 > MAX_LINES)).toEqual([]);
  });

  it('say what they export: no default, no star, and import nothing that only running would tell', () => {
    expect(offenders((file) => file.hasDefaultExport)).toEqual([]);
    expect(offenders((file) => file.hasExportAll)).toEqual([]);
    expect(offenders((file) => file.hasComputedImport)).toEqual([]);
  });

  it('of the index kind stand only where the package is entered', () => {
    const entries = JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).exports);
    const isEntry = (path: string): boolean => entries.includes(path.replace(/^src/, './dist').replace(/\.ts$/, '.js'));
    expect(offenders(({ path }) => basename(path) === 'index.ts' && !isEntry(path))).toEqual([]);
  });
});
