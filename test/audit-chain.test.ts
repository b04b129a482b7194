/** The chain of the audit log on SQLite, and the command that verifies it. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { auditFindings } from '../src/compose/doctor/audit-chain.ts';
import type { Finding } from '../src/compose/doctor/check.ts';
import { replaced } from '../src/compose/replay.ts';
import { pseudonymOf } from '../src/core/admin/receipt.ts';
import { systemClock } from '../src/compose/system.ts';
import type { AuditEntry } from '../src/domain/audit.ts';
import { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteCheckup } from '../src/engines/sqlite/sqlite-checkup.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { AuditLog } from '../src/ports/audit-log.ts';
import { tamperingTests } from './audit-tampering.ts';
import { callCli } from './cli-caller.ts';
import { engineWith } from './engine-with.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** Of the file of the nil tenant, or of another one in the folder. */
function executeOn(folder: string, sql: string, file = `tenants/${NIL_TENANT}.db`): void {
  const db = new Sqlite(join(folder, file));
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

const UNGUARDED = 'DROP TRIGGER IF EXISTS audit_log_kept; DROP TRIGGER IF EXISTS audit_log_whole;';

describe('the audit log', () => {
  tamperingTests(async () => {
    const { root, folder } = untilTestEnds(await openLamina());
    return {
      root,
      table: 'audit_log',
      execute: async (sql) => executeOn(folder, `${UNGUARDED} ${sql}`),
    };
  });

  it('is neither changed nor shortened by SQL that leaves the triggers alone', async () => {
    const { root, folder } = untilTestEnds(await openLamina());
    await root.keys.create({ name: 'robot', userId: 'robot' });
    expect(() => executeOn(folder, 'DELETE FROM audit_log')).toThrow(/nothing is taken out/);
    expect(() => executeOn(folder, "UPDATE audit_log SET action = 'keys.revoke'")).toThrow(/not changed/);
    expect(() => executeOn(folder, "UPDATE audit_log SET actor = 'nobody'")).toThrow(/not changed/);
  });

  it('seals what was logged before there was a chain', async () => {
    const { root, folder } = untilTestEnds(await openLamina());
    await root.keys.create({ name: 'robot', userId: 'robot' });
    executeOn(folder, `${UNGUARDED} UPDATE audit_log SET sequence = 0, previous = '', hash = ''`);
    expect(await root.admin.verifyAudit({})).toEqual({ ok: true, entries: 0, before: 1, head: null });
    await root.keys.create({ name: 'robot', userId: 'robot' });
    expect(await root.admin.verifyAudit({})).toMatchObject({ ok: true, entries: 1, before: 1 });
    executeOn(folder, "UPDATE audit_log SET action = 'keys.revoke' WHERE sequence = 0");
    expect((await root.admin.verifyAudit({})).firstBroken).toMatchObject({ sequence: 1 });
  });

  it('is one chain when two processes write to it', async () => {
    const { root, folder } = untilTestEnds(await openLamina());
    const other = untilTestEnds(await openLamina({ folder }));
    const acts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? root : other.root).keys.create({ name: 'robot', userId: 'robot' }),
    );
    await Promise.all(acts);
    expect(await root.admin.verifyAudit({})).toMatchObject({ ok: true, entries: 20 });
  });

  it('has what was refused to who is no administrator, once an hour', async () => {
    const { root, lamina } = untilTestEnds(await openLamina());
    const mallory = lamina.as({ userId: 'mallory' });
    for (let count = 0; count < 3; count += 1) {
      await expect(mallory.keys.list({})).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    const { entries } = await root.admin.audit({});
    expect(entries).toMatchObject([{ action: 'refused', actor: 'mallory', about: { operation: 'keys.list' } }]);
  });

  it('has a refusal that could not be written down at first', async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const engine = new SqliteEngine({ folder, clock: systemClock });
    let isDown = true;
    const record: AuditLog['record'] = (...given) =>
      isDown ? Promise.reject(new LaminaError('UNAVAILABLE', 'no')) : engine.audit.record(...given);
    const audit = replaced(engine.audit, { record });
    const { root, lamina } = untilTestEnds(await openLamina({ engine: engineWith(engine, { audit }), folder }));
    const mallory = lamina.as({ userId: 'mallory' });
    await mallory.keys.list({}).catch(() => {});
    isDown = false;
    await expect(mallory.keys.list({})).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await root.admin.audit({})).count).toBe(1);
  });

  it('has runs of maintenance that somebody asked for, and what was undone', async () => {
    const { root } = untilTestEnds(await openLamina());
    const { runId } = await root.maintenance.run({ job: 'deduplication' });
    await root.maintenance.undo({ runId }).catch(() => {});
    const { entries } = await root.admin.audit({});
    expect(entries.map(({ action, about }) => [action, about])).toEqual([
      ['maintenance.undo', { runId }],
      ['maintenance.run', { job: 'deduplication' }],
    ]);
  });
});

describe('the log that outlives tenants', () => {
  it('is a chain over all of them, which tells what is missing', async () => {
    const { lamina, folder } = untilTestEnds(await openLamina());
    for (const digit of ['1', '2', '3']) {
      const tenantId = NIL_TENANT.replaceAll('0', digit);
      await lamina.as({ tenantId, userId: 'root', roles: ['admin'] }).admin.eraseTenant({ tenantId });
    }
    await lamina.close();
    const verify = ['audit', 'verify', '--system', '--database', `sqlite:${folder}`];
    expect(await callCli(verify)).toMatchObject({ code: 0, stdout: expect.stringContaining('3 linked entries') });
    executeOn(folder, `${UNGUARDED} DELETE FROM audit_log WHERE sequence = 2`, 'system.db');
    const broken = await callCli(verify);
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining('Entry 2 is missing') });
  });

  it('has what was done to all of them at once', async () => {
    const { lamina, folder } = untilTestEnds(await openLamina());
    await lamina.close();
    const engine = new SqliteEngine({ folder, clock: systemClock });
    const at = new Date().toISOString();
    const id = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e99';
    await engine.audit.recordBeyond({ id, action: 'doctor.fix', actor: 'operator', at, about: { does: 'Tidy up' } });
    await engine.close();
    const { stdout } = await callCli(['audit', 'list', '--system', '--json', '--database', `sqlite:${folder}`]);
    expect(JSON.parse(stdout)).toMatchObject({ id, sequence: 1, about: { does: 'Tidy up' } });
  });
});

describe('lamina audit', () => {
  it('lists, verifies and exports, and verifies what it has exported', async () => {
    const { root, lamina, folder } = untilTestEnds(await openLamina());
    const { keyId } = await root.keys.create({ name: 'robot', userId: 'robot' });
    await root.keys.revoke({ keyId });
    const { head } = await root.admin.verifyAudit({});
    await lamina.close();
    const where = ['--database', `sqlite:${folder}`];
    const { stdout } = await callCli(['audit', 'list', '--json', ...where]);
    expect(stdout).toContain(`"about":{"for":"${pseudonymOf('robot')}","roles":"member"}`);
    expect((await callCli(['audit', 'list', ...where])).stdout).toContain(`key ${keyId}, for sha256:`);
    expect((await callCli(['audit', 'verify', '--head', head ?? '', ...where])).code).toBe(0);
    expect((await callCli(['audit', 'verify', '--head', 'f'.repeat(64), ...where])).code).toBe(1);
    expect((await callCli(['audit', 'verify', '--head', 'short', ...where])).code).toBe(2);
    const file = join(folder, 'audit.jsonl');
    expect(await callCli(['audit', 'export', file, ...where])).toMatchObject({ code: 0 });
    expect((await callCli(['audit', 'export', file, ...where])).stderr).toContain('not overwritten');
    expect(await callCli(['audit', 'export', file, '--force', ...where])).toMatchObject({ code: 0 });
    const verified = await callCli(['audit', 'verify', '--file', file, '--head', head ?? '', '--json']);
    expect(JSON.parse(verified.stdout)).toEqual({ ok: true, entries: 2, before: 0, head });
    await writeFile(file, (await readFile(file, 'utf8')).replace('keys.revoke', 'keys.create'));
    expect((await callCli(['audit', 'verify', '--file', file])).stdout).toContain('at entry 2');
  });

  it('takes no line of a file for an entry that is none, and nothing without a place after the chain', async () => {
    const { root, lamina, folder } = untilTestEnds(await openLamina());
    await root.keys.create({ name: 'robot', userId: 'robot' });
    await lamina.close();
    const file = join(folder, 'audit.jsonl');
    await callCli(['audit', 'export', file, '--database', `sqlite:${folder}`]);
    const whole = await readFile(file, 'utf8');
    const verified = async (text: string): Promise<[number, string]> => {
      await writeFile(file, text);
      const { code, stdout, stderr } = await callCli(['audit', 'verify', '--file', file]);
      return [code, stdout + stderr];
    };
    const { sequence: _sequence, previous: _previous, hash: _hash, ...forged } = JSON.parse(whole) as AuditEntry;
    expect(await verified(whole)).toEqual([0, expect.stringContaining('1 linked entry')]);
    expect(await verified(`${whole}${JSON.stringify(forged)}\n`)).toEqual([
      1,
      expect.stringContaining(`broken at entry ${forged.id}: An entry without a place`),
    ]);
    for (const line of ['{"x":1}', 'null', 'text', '[]']) {
      expect(await verified(`${whole}${line}\n`)).toEqual([1, expect.stringContaining('Line 2 of')]);
    }
    expect(await verified('\n')).toEqual([1, expect.stringContaining('the file is empty')]);
  });

  it('is told by the doctor that it is broken', async () => {
    const { root, lamina, folder } = untilTestEnds(await openLamina());
    await root.keys.create({ name: 'robot', userId: 'robot' });
    await lamina.close();
    const findings = (): Promise<Finding[]> => auditFindings(new SqliteCheckup(folder), new AbortController().signal);
    expect(await findings()).toMatchObject([{ message: 'The audit log holds: 1 entry.' }]);
    executeOn(folder, `${UNGUARDED} UPDATE audit_log SET actor = 'nobody'`);
    expect(await findings()).toMatchObject([{ message: expect.stringContaining('is broken at entry 1') }]);
  });
});
