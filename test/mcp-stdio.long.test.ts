/** `lamina mcp` as a process: what it offers over standard input and output, and how it ends. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callCli } from './cli-caller.ts';
import { startEmbeddingServer, type EmbeddingServer } from './embedding-server.ts';
import { startIdentityService, token } from './identity-service.ts';
import { runLamina } from './lamina-process.ts';
import { connectStdio, output, resource, REVISIONS, type Revision, type StdioClient } from './mcp-caller.ts';
import { callEveryTool, getEveryPrompt, makeMistakes, readEveryResource } from './mcp-walk.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** A process has to start, on machines that do other things too. */
const TIMEOUT_MS = 60_000;

let embeddings: EmbeddingServer;
beforeAll(async () => {
  embeddings = await startEmbeddingServer();
});
afterAll(() => embeddings.close());

async function folder(): Promise<string> {
  const made = await makeFolder();
  onTestFinished(() => removeFolder(made));
  return made;
}

function connect(at: string, args: readonly string[] = [], revision?: Revision): Promise<StdioClient> {
  return connectStdio(['--database-url', `sqlite:${at}`, ...args], embeddings.environment, revision);
}

describe.each(REVISIONS)('a client of %s', (revision) => {
  it(
    'calls every tool, reads every resource, gets the prompt and is told of its mistakes',
    async () => {
      const { client, stderr } = await connect(await folder(), [], revision);
      expect(client.getServerVersion()).toMatchObject({ name: 'lamina' });
      expect(client.getInstructions()).toContain('never an instruction');
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      await callEveryTool(client);
      await readEveryResource(client);
      await getEveryPrompt(client);
      await makeMistakes(client);
      expect(stderr().trim().split('\n')).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    'is told when a memory changes that it follows, also by another process',
    async () => {
      const at = await folder();
      const { client } = await connect(at, [], revision);
      const { id } = await output(client, 'memory_save_fact', { content: 'The sky is grey.' });
      const uri = `memory://entries/${id}`;
      const told: string[] = [];
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
      if (revision === '2025-11-25') await client.subscribeResource({ uri });
      else await client.listen({ resourceSubscriptions: [uri] });
      const { client: other } = await connect(at, [], revision);
      await output(other, 'memory_update', { id, content: 'The sky is blue.' });
      await expect.poll(() => told, { timeout: 15_000 }).toEqual([uri]);
    },
    TIMEOUT_MS,
  );
});

describe('two processes on one data folder', () => {
  it(
    'write in parallel and lose nothing',
    async () => {
      const at = await folder();
      const clients = (await Promise.all([connect(at), connect(at)])).map(({ client }) => client);
      const COUNT = 40;
      const entity = (name: string): object => ({ name, entityType: 'thing', observations: [`seen as ${name}`] });
      const written = await Promise.all(
        clients.flatMap((client, process) =>
          Array.from({ length: COUNT }, async (_, at_) => {
            await output(client, 'create_entities', { entities: [entity(`e${process}-${at_}`)] });
            const { id } = await output(client, 'memory_save_fact', { content: `Fact ${at_} of process ${process}.` });
            return id as string;
          }),
        ),
      );
      expect(new Set(written).size).toBe(2 * COUNT);
      for (const client of clients) {
        const { entities } = await output(client, 'read_graph');
        expect(entities).toHaveLength(2 * COUNT);
        const { totalCount } = await resource(client, 'memory://layers/user');
        expect(totalCount).toBeGreaterThanOrEqual(2 * COUNT);
      }
      const first = clients[0] ?? expect.fail('there are two');
      for (let start = 0; start < written.length; start += 5) {
        const ids = written.slice(start, start + 5);
        expect((await output(first, 'memory_read', { ids })).notFound).toEqual([]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'keep what was acknowledged when one of them is killed',
    async () => {
      const at = await folder();
      const { client, transport } = await connect(at);
      const { id } = await output(client, 'memory_save_fact', { content: 'Acknowledged is kept.' });
      process.kill(transport.pid ?? expect.fail('it runs'), 'SIGKILL');
      const { client: next } = await connect(at);
      expect((await output(next, 'memory_read', { ids: [id] })).memories).toHaveLength(1);
    },
    TIMEOUT_MS,
  );
});

describe('whose memory it is', () => {
  it(
    'is told by flags: another user sees nothing, another session of the same user does',
    async () => {
      const at = await folder();
      const { client: ada } = await connect(at, ['--user', 'ada', '--project', 'apollo', '--agent', 'scout']);
      await output(ada, 'memory_save_fact', { content: 'Ada keeps bees.' });
      await output(ada, 'memory_save_fact', { content: 'Apollo ships on Friday.', layer: 'project' });
      const { client: bob } = await connect(at, ['--user', 'bob']);
      expect((await output(bob, 'memory_recall', { query: 'bees Friday' })).memories).toEqual([]);
      const { client: again } = await connect(at, ['--user', 'ada', '--tools', 'agent']);
      expect((await output(again, 'memory_recall', { query: 'bees' })).memories).toHaveLength(1);
      expect((await again.listTools()).tools.some(({ name }) => name === 'read_graph')).toBe(false);
    },
    TIMEOUT_MS,
  );

  it(
    'lies in the home folder where nothing else is said',
    async () => {
      const home = await folder();
      const { client, stderr } = await connectStdio([], { ...embeddings.environment, HOME: home });
      await output(client, 'memory_save_fact', { content: 'There is no place like home.' });
      expect(existsSync(join(home, '.lamina'))).toBe(true);
      expect(stderr()).toContain(join(home, '.lamina'));
    },
    TIMEOUT_MS,
  );

  it(
    'lies behind a service with --url, as whoever the token names',
    async () => {
      const { url } = await startIdentityService();
      const LAMINA_TOKEN = await token();
      const { client } = await connectStdio(['--url', url], { LAMINA_TOKEN });
      await output(client, 'memory_save_fact', { content: 'Alice keeps bees.' });
      const mallory = await token({ user_id: 'mallory' });
      const { client: other } = await connectStdio(['--url', url], { LAMINA_TOKEN: mallory });
      expect((await output(other, 'memory_recall', { query: 'bees' })).memories).toEqual([]);
      expect((await output(client, 'memory_recall', { query: 'bees' })).memories).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    'is gone for a while with the service, and the client is told',
    async () => {
      const { lamina } = untilTestEnds(await openLamina());
      const service = await serveLamina(lamina);
      const { client } = await connectStdio(['--url', service.url]);
      await output(client, 'memory_save_fact', { content: 'Otters hold hands.' });
      await service.close();
      const result = await client.callTool({ name: 'memory_recall', arguments: { query: 'otters' } });
      expect(JSON.stringify(result)).toContain('UNAVAILABLE');
      const again = await serveLamina(lamina, {}, Number(new URL(service.url).port));
      untilTestEnds(again);
      expect((await output(client, 'memory_recall', { query: 'otters' })).memories).toHaveLength(1);
    },
    TIMEOUT_MS,
  );
});

/** A process without a client of ours, to be sent anything. */
class RawProcess {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';

  constructor(at: string, environment: Readonly<Record<string, string>> = {}, databaseUrl = `sqlite:${at}`) {
    const env = { PATH: process.env['PATH'] ?? '', ...embeddings.environment, ...environment };
    const args = [resolve('bin/lamina.js'), 'mcp', '--database-url', databaseUrl];
    this.child = spawn(process.execPath, args, { env });
    this.child.stdout.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    this.child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  send(message: unknown): void {
    this.child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- each test looks at its own part
  answers(): any[] {
    return this.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

const call = (id: number, name: string, input: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

describe('a process', () => {
  it(
    'survives what is no message, and says nothing on standard output but the protocol',
    async () => {
      const raw = new RawProcess(await folder(), { LAMINA_LOG_LEVEL: 'trace' });
      for (const nonsense of [
        '',
        'hello',
        '{"jsonrpc":',
        '[]',
        '7',
        '{"jsonrpc":"1.0","id":1}',
        '{"id":{}}',
        '\u0000',
      ]) {
        raw.send(nonsense);
      }
      raw.send(INITIALIZE);
      raw.send(INITIALIZED);
      raw.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}');
      raw.send({ jsonrpc: '2.0', id: 2, method: 'no/such/method' });
      raw.send(call(3, 'memory_save_fact', { content: 'It goes on.' }));
      await expect.poll(() => raw.answers().map(({ id }) => id), { timeout: 30_000 }).toContain(3);
      const answers = raw.answers();
      expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
      expect(answers.find(({ id }) => id === 1).error).toBeDefined();
      expect(answers.find(({ id }) => id === 2).error.code).toBe(-32_601);
      expect(answers.find(({ id }) => id === 3).result.structuredContent.status).toBe('created');
    },
    TIMEOUT_MS,
  );

  it(
    'answers what was asked when its input ends, and then ends',
    async () => {
      const raw = new RawProcess(await folder());
      raw.send(INITIALIZE);
      raw.send(INITIALIZED);
      for (let id = 1; id <= 5; id += 1) raw.send(call(id, 'memory_save_fact', { content: `Fact ${id}.` }));
      raw.child.stdin.end();
      let answeredAt = 0;
      raw.child.stdout.on('data', () => (answeredAt = performance.now()));
      expect(await raw.ended()).toBe(0);
      expect(raw.answers().map(({ id }) => id)).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5]));
      // At once, and not when the time is over that answers are given.
      expect(performance.now() - answeredAt).toBeLessThan(8000);
    },
    TIMEOUT_MS,
  );

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends cleanly on %s',
    async (signal) => {
      const raw = new RawProcess(await folder());
      raw.send(INITIALIZE);
      await expect.poll(() => raw.answers(), { timeout: 30_000 }).toHaveLength(1);
      raw.child.kill(signal);
      expect(await raw.ended()).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'ends on a signal while its database does not answer',
    async () => {
      const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
      const silent = createServer(() => ask());
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      onTestFinished(() => void silent.close());
      const { port } = silent.address() as AddressInfo;
      const raw = new RawProcess(await folder(), {}, `postgres://nobody@127.0.0.1:${port}/none`);
      await asked;
      raw.child.kill('SIGTERM');
      expect(await raw.ended()).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'ends when nobody reads its output any more',
    async () => {
      const raw = new RawProcess(await folder());
      raw.child.stdout.destroy();
      raw.send(INITIALIZE);
      raw.send(INITIALIZED);
      for (let id = 1; id <= 5; id += 1) raw.send({ jsonrpc: '2.0', id, method: 'tools/list' });
      expect(await raw.ended()).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'negotiates down to a revision that it knows',
    async () => {
      const raw = new RawProcess(await folder());
      raw.send({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '2024-11-05' } });
      raw.send({ ...INITIALIZE, id: 1, params: { ...INITIALIZE.params, protocolVersion: '1999-01-01' } });
      await expect.poll(() => raw.answers(), { timeout: 30_000 }).toHaveLength(2);
      const versions = raw.answers().map(({ result }) => result?.protocolVersion);
      expect(versions[0]).toBe('2024-11-05');
      expect(versions[1]).toMatch(/^202\d-\d\d-\d\d$/);
    },
    TIMEOUT_MS,
  );
});

describe('what a model may be shown', () => {
  const SECRET = { content: 'The vault code is four digits.', layer: 'user', sensitivity: 'confidential' };
  const recalled = (args: readonly string[], at: string): Promise<{ found: number; stderr: string }> =>
    connect(at, args).then(async ({ client, stderr }) => {
      const { memories, withheld } = await output(client, 'memory_recall', { query: 'vault code' });
      expect(memories.length + withheld).toBe(1);
      return { found: memories.length, stderr: stderr() };
    });

  it(
    'is what the policy of turns allows, which a flag can only narrow',
    async () => {
      const at = await folder();
      const { client } = await connect(at, ['--tools', 'all']);
      await output(client, 'add', SECRET);
      const widened = await recalled(['--max-sensitivity', 'restricted'], at);
      expect(widened.found).toBe(0);
      expect(widened.stderr).toContain('--max-sensitivity restricted can only narrow turn.maxSensitivity');
      const policy = ['--turn-max-sensitivity', 'confidential'];
      const allowed = await recalled(policy, at);
      expect([allowed.found, allowed.stderr.includes('warn:')]).toEqual([1, false]);
      expect((await recalled([...policy, '--max-sensitivity', 'internal'], at)).found).toBe(0);
    },
    TIMEOUT_MS,
  );
});

describe('mistakes on the command line', () => {
  it.each([
    [['--tools', 'none'], '"none" is no set of tools'],
    [['--tool', 'agent'], 'Unknown flag "--tool". Did you mean "--tools"?'],
    [['--port', '1'], 'Unknown flag "--port".'],
    [['--max-sensitivity', 'secret'], 'max-sensitivity accepts public, internal'],
    [['--tenant', 'mine'], '--tenant accepts a UUID'],
    [['--project', 'p'.repeat(101)], '"project" is an id'],
    [['--url', 'http://127.0.0.1:1', '--database-url', 'sqlite:x'], 'exclude each other'],
    [['--url', 'http://127.0.0.1:1', '--project', 'p'], 'Name --user too'],
  ])('are answered with advice: %j', async (args, message) => {
    const { code, stderr } = await callCli(['mcp', ...args], { environment: { LAMINA_TOKEN: 'key' } });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('See: lamina help mcp');
  });

  it('end the process with code 2 and nothing on standard output', async () => {
    const { code, stdout, stderr } = await runLamina(['mcp', '--tools', 'none']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('are few where the help is read', async () => {
    const { code, stdout } = await runLamina(['help', 'mcp']);
    expect(code).toBe(0);
    for (const flag of ['--tools', '--user', '--project', '--max-sensitivity', '--url', '--database-url']) {
      expect(stdout).toContain(flag);
    }
    expect(stdout.split('\n').every((line) => line.length <= 120)).toBe(true);
  });
});
