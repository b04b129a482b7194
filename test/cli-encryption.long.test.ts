/** `lamina encryption` from the first key to the last. */

import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { callCli, type CalledCli } from './cli-caller.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const TENANT = '00000000-0000-0000-0000-000000000000';

describe('lamina encryption', () => {
  it('makes a key, seals what is there, changes both keys, and tells how it stands', { timeout: 60_000 }, async () => {
    const folder = await makeFolder();
    untilTestEnds({ close: () => removeFolder(folder) });
    const [data, file] = [join(folder, 'data'), join(folder, 'master.key')];
    const { lamina, close } = await openLamina({ folder: data });
    await lamina.as({ userId: 'alice' }).add({ layer: 'user', content: 'The harbour is closed' });
    await close();
    const environment = { LAMINA_DATABASE_URL: `sqlite:${data}`, LAMINA_MASTER_KEY_FILE: file };
    const call = (...words: string[]): Promise<CalledCli> => callCli(['encryption', ...words], { environment });
    const status = async (): Promise<Record<string, never>> => JSON.parse((await call('status', '--json')).stdout)[0];

    expect(await call('status')).toMatchObject({ code: 78, stderr: expect.stringContaining('cannot be read') });
    expect(await call('create-key', file)).toMatchObject({ code: 0, stdout: expect.stringContaining('file:') });
    expect((await call('create-key', file)).stderr).toContain('there already');
    expect(await status()).toMatchObject({ keys: [], collections: { entries: { plain: 1 } } });
    expect((await call('rotate')).stdout).toContain('0 values');
    expect((await call('seal')).stdout).toContain('1 value was sealed, in 1 tenant.');
    const sealed = await status();
    expect(sealed).toMatchObject({ isComplete: true, collections: { entries: { plain: 0 } } });
    expect(await call('rotate', '--grace', 'soon')).toMatchObject({ code: 2 });
    const soon = await call('rotate', '--grace', '1');
    expect(soon).toMatchObject({ code: 2, stderr: expect.stringContaining('would be lost') });
    const slept: number[] = [];
    const sleeping = vi.spyOn(systemClock, 'sleep').mockImplementation(async (ms) => void slept.push(ms));
    expect((await call('rotate', '--tenant', TENANT)).stdout).toContain('the old keys are destroyed');
    sleeping.mockRestore();
    expect(Math.max(...slept)).toBeGreaterThan(50_000);
    expect((await status())['collections']).not.toEqual(sealed['collections']);
    await call('create-key', file, '--add');
    expect((await call('rotate-master')).stdout).toContain('2 keys were wrapped anew');
    expect((await call('status')).stdout).toContain(`${TENANT}: sealed`);
    const doctor = await callCli(['doctor', '--json'], { environment });
    expect(doctor.stdout).toContain('The master key opens the keys of 1 tenant.');
    const audit = await callCli(['audit', 'list', '--system', '--json'], { environment });
    for (const action of ['seal', 'rotate', 'rotateMaster']) expect(audit.stdout).toContain(`encryption.${action}`);
    const copies = [
      ['sealed', []],
      ['plain', ['--unsealed']],
    ] as const;
    for (const [name, flags] of copies) {
      const to = `sqlite:${join(folder, name)}`;
      expect(await callCli(['copy', '--from', `sqlite:${data}`, '--to', to, ...flags], { environment })).toMatchObject({
        code: 0,
      });
      const own = name === 'plain' ? { LAMINA_DATABASE_URL: to } : { ...environment, LAMINA_DATABASE_URL: to };
      const listed = await callCli(['list', '--user', 'alice', '--json'], { environment: own });
      expect(listed.stdout).toContain('The harbour is closed');
    }
    const without = await callCli(['list', '--user', 'alice'], {
      environment: { LAMINA_DATABASE_URL: `sqlite:${data}` },
    });
    expect(without).toMatchObject({ stderr: expect.stringContaining('LAMINA_MASTER_KEY_FILE') });
  });
});
