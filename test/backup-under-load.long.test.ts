/** A backup while a process writes as fast as it can, which is then killed: what was acknowledged before it began is there. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { callCli } from './cli-caller.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const WRITER = new URL('./backup-writer-process.ts', import.meta.url).pathname;
const TENANTS = ['1', '2', '3'].map((digit) => '00000000-0000-4000-8000-000000000000'.replace(/^0/, digit));

it('has every write that was acknowledged before it began, and is restored after a kill', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const data = join(folder, 'data');
  const writer = spawn(process.execPath, [WRITER, data, ...TENANTS], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void writer.kill('SIGKILL'));
  const acknowledged: string[] = [];
  createInterface({ input: writer.stdout }).on('line', (line) => acknowledged.push(line));
  const until = async (count: number): Promise<void> => {
    while (acknowledged.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await until(300);

  const before = [...acknowledged];
  const backup = join(folder, 'backup');
  const made = await callCli(['backup', backup, '--json', '--database', `sqlite:${data}`]);
  expect(made).toMatchObject({ code: 0 });
  await until(acknowledged.length + 50);
  writer.kill('SIGKILL');
  await once(writer, 'exit');

  const restored = join(folder, 'restored');
  expect(await callCli(['restore', backup, '--to', `sqlite:${restored}`])).toMatchObject({ code: 0 });
  const { lamina } = untilTestEnds(await openLamina({ folder: restored }));
  for (const line of before) {
    const [tenantId = '', id = ''] = line.split(' ');
    expect((await lamina.as({ tenantId, userId: 'alice' }).get({ id })).memory?.id).toBe(id);
  }
  expect(acknowledged.length).toBeGreaterThan(before.length);
  const doctor = await callCli(['backup', 'verify', backup]);
  expect(doctor.code).toBe(0);
}, 60_000);
