/** A Node that is too old is told so, before anything native is loaded. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { assertNodeVersion, LEAST_NODE } from '../src/compose/node-version.ts';
import { Lamina } from '../src/index.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

it('is the one of package.json', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${LEAST_NODE}`);
  expect(() => assertNodeVersion(`${LEAST_NODE}.0`)).not.toThrow();
  for (const version of ['20.20.2', '22.14.9', '18.0.0']) {
    expect(() => assertNodeVersion(version)).toThrow(`cannot run on Node ${version}: it needs ${LEAST_NODE} or newer`);
  }
});

it('is asked for when memory is opened', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const { versions } = process;
  Object.defineProperty(process, 'versions', { value: { ...versions, node: '20.20.2' }, configurable: true });
  onTestFinished(() => {
    Object.defineProperty(process, 'versions', { value: versions, configurable: true });
  });
  const place = join(folder, 'none');
  await expect(Lamina.open({ folder: place })).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: expect.stringContaining('Node 20.20.2') as string,
  });
  expect(existsSync(place)).toBe(false);
});
