/** The line of a request is put together by hand: it has what the lines have that the logger writes. */

import { setTimeout as pause } from 'node:timers/promises';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { requestLines } from '../src/server/request-line.ts';

const LINE = { id: 'abc-1', method: 'GET', status: 200, ms: 1.25, traceId: 'f00' };

it('is what the logger would have written, but for the time', async () => {
  const lines: string[] = [];
  const options = { level: 'info', stream: { write: (line: string) => void lines.push(line) } };
  const { log } = fastify({ logger: options });
  requestLines(options, log)('/pots/:id')(LINE);
  const { id, traceId, ...rest } = LINE;
  log.info({ route: '/pots/:id', request_id: id, ...rest, trace_id: traceId }, 'request');
  await pause(0);
  const [byHand, byLogger] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect({ ...byHand, time: 0 }).toEqual({ ...byLogger, time: 0 });
  expect(Number(byHand?.['time'])).toBeCloseTo(Date.now(), -4);
  expect(lines[0]?.endsWith('}\n')).toBe(true);
});

it('is not written where only more important things are', () => {
  const lines: string[] = [];
  const options = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } };
  requestLines(options, fastify({ logger: options }).log)('/')(LINE);
  expect(lines).toEqual([]);
});
