/** What must hold of every package in the lock file, and can be seen without asking anybody. */

export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** What those who use Lamina get with it: licences that ask for a notice at most. `MIT OR Apache` is how sqlite-vec spells it. */
const LICENCES: ReadonlySet<string> = new Set([
  'MIT',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  '0BSD',
  'BlueOak-1.0.0',
  'MIT OR Apache',
]);

/** Packages that run something when they are installed, and why that is all right. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  'better-sqlite3': 'fetches or compiles SQLite',
  node: 'puts the Node of this repository in its place',
  esbuild: 'checks its binary, for the documentation',
};

/** What is wrong, a line each; empty where nothing is. */
export function problemsIn({ packages }: LockFile): string[] {
  const locked = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);
  if (locked.length === 0) return ['The lock file names no packages.'];
  const origins = new Set<string>();
  const problems = locked.flatMap(([path, each]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const found: string[] = [];
    if (!each.integrity?.startsWith('sha512-')) found.push('has no SHA-512 of what is installed');
    if (each.resolved !== undefined) {
      const url = URL.canParse(each.resolved) ? new URL(each.resolved) : undefined;
      if (url?.protocol === 'https:') origins.add(url.origin);
      else found.push('does not come from a registry by https');
    }
    if (!each.dev && !LICENCES.has(each.license ?? '')) found.push(`has the licence ${each.license ?? '(none)'}`);
    if (each.hasInstallScript && !Object.hasOwn(INSTALL_SCRIPTS, name))
      found.push('runs a script when it is installed');
    return found.map((problem) => `${name} ${each.version ?? ''} ${problem}.`);
  });
  if (origins.size > 1) problems.push(`Packages come from ${origins.size} places instead of one registry.`);
  return problems;
}
