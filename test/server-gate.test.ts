/** What every request to memory passes: its work gets a place, its outcome is told once, and nothing of it is kept. */

import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { Gate } from '../src/server/gate.ts';
import { LinkedRow, type RowMember } from '../src/server/linked-row.ts';
import { DEFAULT_SERVICE_LIMITS } from '../src/server/service-limits.ts';

const PRINCIPAL: Principal = { tenantId: NIL_TENANT, userId: 'alice' };

interface Member extends RowMember<Member> {
  readonly name: number;
}

const member = (name: number): Member => ({ name, earlier: undefined, later: undefined, isInRow: false });

describe('a row', () => {
  it('is what a set of the same would be', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(7)));
    const run = (given: readonly (readonly [boolean, number])[]): void => {
      const [row, set] = [new LinkedRow<Member>(), new Set<Member>()];
      const members = Array.from({ length: 8 }, (_, name) => member(name));
      for (const [isAdding, name] of given) {
        const one = members[name] ?? member(name);
        if (!isAdding) expect(row.delete(one)).toBe(set.delete(one));
        else if (!set.has(one)) {
          row.add(one);
          set.add(one);
        }
        expect([...row].map((each) => each.name)).toEqual(Array.from(set, (each) => each.name));
        expect([row.size, row.first]).toEqual([set.size, [...set][0]]);
      }
      // Who has left keeps nobody.
      for (const each of members) if (!set.has(each)) expect(each).toEqual(member(each.name));
    };
    fc.assert(fc.property(steps, run));
  });
});

describe('the gate', () => {
  it('tells once of work that ends after it was given up', async () => {
    const gate = new Gate({ ...DEFAULT_SERVICE_LIMITS, answerMs: 20 });
    for (const end of ['resolve', 'reject'] as const) {
      const work = Promise.withResolvers<string>();
      const told: unknown[] = [];
      gate.queue(PRINCIPAL, {
        work: () => work.promise,
        answer: (value) => told.push(value),
        failed: (error) => told.push(error),
      });
      await expect.poll(() => told).toEqual([expect.objectContaining({ code: 'UNAVAILABLE' })]);
      work[end]('late');
      await sleep(5);
      expect(told).toHaveLength(1);
    }
  });

  it('tells of work that throws at once', async () => {
    const gate = new Gate(DEFAULT_SERVICE_LIMITS);
    const failed = await new Promise((resolve, reject) => {
      const work = (): never => {
        throw new Error('at once');
      };
      gate.queue(PRINCIPAL, { work, answer: reject, failed: resolve });
    });
    expect(failed).toEqual(new Error('at once'));
  });

  it('keeps nothing of what has passed', async () => {
    const program = new URL('server/gate-load.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, ['--max-semi-space-size=8', program]);
    // 25,600 requests of some 5 KB. It was more than 10 MB when tables of sets kept them, and is half of one.
    expect(Number(stdout) / 2 ** 20).toBeLessThan(3);
  });
});
