/** Whether what stands beside the database answers: Redis, Qdrant, and a service on the configured port. */

import { RedisConnection } from '../../engines/redis/redis-connection.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import { shownAddress } from '../database-address.ts';
import { openQdrant } from '../qdrant.ts';
import { qdrantOf } from '../qdrant-options.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import { reached } from './database-checks.ts';
import { healthOf, versionFindingsOf } from './remote-checks.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

/** What Redis says of itself (INFO): `name:value` on each line. */
export function redisFindings(info: string): Finding[] {
  const value = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  const findings: Finding[] = [];
  const policy = value('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction' && value('maxmemory') !== '0') {
    const told = `Redis removes values when its memory is full (maxmemory-policy ${policy}).`;
    findings.push(problem(told, 'redis-cli CONFIG SET maxmemory-policy noeviction'));
  }
  if (value('aof_enabled') === '0') {
    const told =
      'Redis keeps no log of its writes: a restart loses working memory since the last snapshot, if there is one.';
    findings.push(warning(told, 'redis-cli CONFIG SET appendonly yes'));
  }
  if (value('role') === 'slave') {
    findings.push(problem('This Redis is a replica and takes no writes.', 'Point LAMINA_REDIS_URL at the primary.'));
  }
  return findings.length > 0 ? findings : [ok(`Redis ${value('redis_version') ?? ''} keeps what it is given.`)];
}

/** Nothing in Redis tells whose it is. */
function prefixFinding(prefix: string): Finding {
  return ok(`Its keys begin with "${prefix}:". Another database on this Redis needs another LAMINA_REDIS_PREFIX.`);
}

const redis: Check<World> = {
  name: 'redis',
  group: 'Services',
  looksAt: 'Whether Redis answers, keeps its values and survives a restart, where it is configured',
  isFor: ({ configuration: { redisUrl } }) => redisUrl !== undefined,
  async run({ configuration: { redisUrl = '', redisPrefix: prefix } }) {
    try {
      const connection = await RedisConnection.open({ url: redisUrl, prefix });
      try {
        if (!(await connection.tried())) throw connection.failure;
        const findings = redisFindings(String(await connection.send(['INFO'], 'reads')));
        return [...findings, prefixFinding(prefix)];
      } finally {
        await connection.close();
      }
    } catch (error) {
      const told = `Redis at ${shownAddress(redisUrl)} cannot be used. ${reasonOf(error)}`;
      return [problem(told, 'Start it, correct LAMINA_REDIS_URL, or unset it.')];
    }
  },
};

const qdrant: Check<World> = {
  name: 'qdrant',
  group: 'Services',
  looksAt: 'Whether Qdrant answers and has a vector of every memory, where it is configured',
  isFor: ({ configuration: { qdrantUrl } }) => qdrantUrl !== undefined,
  async run(world) {
    const options = qdrantOf(world.configuration);
    if (options === undefined) return [];
    const fix =
      'Start it, or correct LAMINA_QDRANT_URL and LAMINA_QDRANT_API_KEY. Until then the database answers, more slowly.';
    try {
      const index = await openQdrant(options);
      const amiss = await index.check();
      return amiss === undefined ? await lagFindings(index, world) : [warning(amiss, fix)];
    } catch (error) {
      return [warning(`Qdrant at ${shownAddress(options.url)} cannot be used. ${reasonOf(error)}`, fix)];
    }
  },
};

/** What the database has a vector of, and Qdrant not yet. */
async function lagFindings(index: VectorIndex, world: World): Promise<Finding[]> {
  const checkup = await reached(world);
  const tenants = (await checkup?.tenants()) ?? [];
  if (checkup === undefined || tenants.length === 0) return [ok('Qdrant answers.')];
  const space = await world.space();
  const findings: Finding[] = [];
  for (const tenantId of tenants) {
    const { entries, withoutVector } = await checkup.drift(tenantId, space);
    const there = await index.count(space, tenantId);
    if (there === entries - withoutVector) continue;
    const told = `Of tenant ${tenantId} Qdrant has ${there} vectors, and the database ${entries - withoutVector}.`;
    findings.push(
      warning(
        `${told} A service that runs makes up for it.`,
        `If it stays so: lamina reindex qdrant${world.databaseFlag}`,
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('Qdrant answers, and has every vector.')];
}

const service: Check<World> = {
  name: 'service',
  group: 'Services',
  looksAt: 'Without --database: whether a service answers on the configured port, how it is and of which version',
  // What answers there may have other data, and does not say which.
  isFor: ({ isNamed }) => !isNamed,
  async run({ configuration: { host, port } }) {
    if (port === 0) return [];
    const name = host.includes(':') ? `[${host}]` : host;
    const url = `http://${name === '0.0.0.0' || name === '[::]' ? 'localhost' : name}:${port}`;
    const answer = await healthOf(url);
    if (answer.kind === 'silent') return [ok(`Nothing runs at ${url}.`)];
    if (answer.kind === 'foreign') {
      const told = `Something else than Lamina answers at ${url}: a service could not start there.`;
      return [warning(told, 'Stop it, or choose another port: LAMINA_PORT')];
    }
    return [...answer.findings, ...(await versionFindingsOf(url))];
  },
};

export const SERVICE_CHECKS: readonly Check<World>[] = [redis, qdrant, service];
