/** The rules for dependencies hold, and notice what breaks them. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problemsIn, type LockedPackage, type LockFile } from '../scripts/dependency-rules.ts';

const GOOD: LockedPackage = { version: '1.0.0', integrity: 'sha512-abc', license: 'MIT' };
const problemsWith = (each: LockedPackage, name = 'thing'): string[] =>
  problemsIn({ packages: { '': {}, 'node_modules/good': GOOD, [`node_modules/${name}`]: each } });

describe('dependencies', () => {
  it('keep to the rules', () => {
    expect(problemsIn(JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile)).toEqual([]);
  });

  it.each<[string, LockedPackage]>([
    ['SHA-512', { ...GOOD, integrity: 'sha1-abc' }],
    ['SHA-512', { version: '1.0.0', license: 'MIT' }],
    ['registry', { ...GOOD, resolved: 'git+ssh://git@example.org/thing.git#abc' }],
    ['registry', { ...GOOD, resolved: 'http://packages.example.org/thing.tgz' }],
    ['licence', { ...GOOD, license: 'AGPL-3.0' }],
    ['licence (none)', { version: '1.0.0', integrity: 'sha512-abc' }],
    ['script', { ...GOOD, hasInstallScript: true }],
  ])('are refused by %s', (problem, each) => {
    expect(problemsWith(each)).toEqual([expect.stringContaining(problem)]);
  });

  it('come from one place, and may run a script only by name', () => {
    const from = (host: string): LockedPackage => ({ ...GOOD, resolved: `https://${host}/thing.tgz` });
    const packages = { 'node_modules/a': from('a.example'), 'node_modules/b': from('b.example') };
    expect(problemsIn({ packages })).toEqual(['Packages come from 2 places instead of one registry.']);
    expect(problemsWith({ ...GOOD, hasInstallScript: true }, 'better-sqlite3')).toEqual([]);
    expect(problemsWith({ ...GOOD, license: 'GPL-3.0', dev: true })).toEqual([]);
    expect(problemsIn({ packages: {} })).toEqual(['The lock file names no packages.']);
  });
});
