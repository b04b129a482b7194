/** The built files of the inspector: held in memory, each with its compressed variants. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { extname } from 'node:path/posix';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

/** The compressed variants beside a file, by accepted encoding; smallest first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export interface InspectorFile {
  readonly type: string;
  readonly body: Buffer;
  readonly encoded: readonly { readonly encoding: 'br' | 'gzip'; readonly body: Buffer }[];
}

/** By their paths, such as `/assets/index-Ab12.js`. */
export type InspectorFiles = ReadonlyMap<string, InspectorFile>;

/** Reads them on the first request, and again after a rebuild. Undefined if they were not built. */
export function inspectorFiles(folder: string): () => InspectorFiles | undefined {
  const index = join(folder, 'index.html');
  let held: { readonly builtAt: number; readonly files: InspectorFiles } | undefined;
  return () => {
    const builtAt = statSync(index, { throwIfNoEntry: false })?.mtimeMs;
    if (builtAt === undefined) return undefined;
    if (held?.builtAt !== builtAt) held = { builtAt, files: readAll(folder) };
    return held.files;
  };
}

/** Only these are ever served: any other path is not found, however it is spelled. */
function readAll(folder: string): InspectorFiles {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name).slice(folder.length).split(sep).join('/'))
    .map((name) => (name.startsWith('/') ? name : `/${name}`));
  const all = new Set(names);
  const files = new Map<string, InspectorFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const encoded = ENCODINGS.filter(({ suffix }) => all.has(name + suffix)).map((encoding) => ({
      encoding: encoding.name,
      body: readFileSync(join(folder, name + encoding.suffix)),
    }));
    files.set(name, { type, body: readFileSync(join(folder, name)), encoded });
  }
  return files;
}
