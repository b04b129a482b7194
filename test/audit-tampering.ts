/** Every way in which somebody with the database in hands can falsify an audit log, each with what has to be said of it. */

import { expect, it } from 'vitest';
import type { Memory } from '../src/operations/memory.ts';

export interface TamperedLog {
  readonly root: Memory;
  /** Writes beside Lamina, as somebody whom no trigger keeps from it. */
  readonly execute: (sql: string) => Promise<void>;
  /** As the statements name it. */
  readonly table: string;
}

const ENTRIES = 5;

interface Tampering {
  readonly name: string;
  readonly statements: (table: string) => readonly string[];
  readonly sequence?: number;
  readonly problem: RegExp;
}

const changed = (column: string, value: string): Tampering => ({
  name: `another ${column}`,
  statements: (table) => [`UPDATE ${table} SET ${column} = ${value} WHERE sequence = 3`],
  sequence: 3,
  problem: /not as it was written/,
});

const TAMPERINGS: readonly Tampering[] = [
  changed('actor', "'somebody else'"),
  changed('action', "'keys.revoke'"),
  changed('at', 'at + 1'),
  changed('details', "'{}'"),
  changed('id', "'01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e99'"),
  changed('hash', "replace(hash, substr(hash, 1, 1), '_')"),
  changed('previous', "replace(previous, substr(previous, 1, 1), '_')"),
  {
    name: 'an entry less',
    statements: (table) => [`DELETE FROM ${table} WHERE sequence = 3`],
    sequence: 4,
    problem: /Entry 3 is missing/,
  },
  {
    name: 'the first entries less',
    statements: (table) => [`DELETE FROM ${table} WHERE sequence < 3`],
    sequence: 3,
    problem: /Entries 1 to 2 are missing/,
  },
  {
    name: 'an entry less, and the others moved up',
    statements: (table) => [
      `DELETE FROM ${table} WHERE sequence = 3`,
      `UPDATE ${table} SET sequence = 3 WHERE sequence = 4`,
    ],
    sequence: 3,
    problem: /not as it was written/,
  },
  {
    name: 'two entries in the place of each other',
    statements: (table) => [
      `UPDATE ${table} SET sequence = 99 WHERE sequence = 2`,
      `UPDATE ${table} SET sequence = 2 WHERE sequence = 3`,
      `UPDATE ${table} SET sequence = 3 WHERE sequence = 99`,
    ],
    sequence: 2,
    problem: /not as it was written/,
  },
  {
    name: 'an entry without a link put in',
    statements: (table) => [`UPDATE ${table} SET sequence = 0, previous = '', hash = '' WHERE sequence = ${ENTRIES}`],
    sequence: 1,
    problem: /before the chain/,
  },
];

/** `open` gives an empty log each time. */
export function tamperingTests(open: () => Promise<TamperedLog>): void {
  it.each(TAMPERINGS)('tells of $name', async ({ statements, sequence, problem }) => {
    const { root, execute, table } = await filled(open);
    expect(await root.admin.verifyAudit({})).toMatchObject({ ok: true, entries: ENTRIES, before: 0 });
    for (const statement of statements(table)) await execute(statement);
    const { ok, firstBroken } = await root.admin.verifyAudit({});
    expect([ok, firstBroken?.sequence]).toEqual([false, sequence]);
    expect(firstBroken?.problem).toMatch(problem);
  });

  it('tells that the end was cut off, to whoever has kept a head', async () => {
    const { root, execute, table } = await filled(open);
    const { head } = await root.admin.verifyAudit({});
    await execute(`DELETE FROM ${table} WHERE sequence > 3`);
    expect(await root.admin.verifyAudit({})).toMatchObject({ ok: true, entries: 3 });
    const { ok, firstBroken } = await root.admin.verifyAudit({ head: head ?? '' });
    expect(ok).toBe(false);
    expect(firstBroken?.problem).toMatch(/cut off/);
  });

  it('holds when somebody in it is erased, whose name is gone', async () => {
    const { root } = await filled(open);
    const before = await root.admin.verifyAudit({});
    await root.admin.eraseUser({ userId: 'root' });
    const { entries } = await root.admin.audit({});
    expect(entries.filter(({ actor }) => actor === 'root')).toEqual([]);
    expect(await root.admin.verifyAudit({ head: before.head ?? '' })).toMatchObject({ ok: true, entries: ENTRIES + 1 });
  });
}

async function filled(open: () => Promise<TamperedLog>): Promise<TamperedLog> {
  const opened = await open();
  for (let count = 0; count < ENTRIES; count += 1) await opened.root.keys.create({ name: 'robot', userId: 'robot' });
  return opened;
}
