/** `lamina mcp`: memory for one MCP client, over standard input and output. */

import { Console } from 'node:console';
import { loadConfiguration, type Configuration } from '../compose/configuration.ts';
import { TOKEN_VARIABLE } from '../compose/configuration-sources.ts';
import { databaseAddress, shownAddress } from '../compose/database-address.ts';
import { packageVersion } from '../compose/package-version.ts';
import type { OpenMemory } from '../compose/remote-memory.ts';
import { LaminaError } from '../domain/error.ts';
import { narrowed, type Sensitivity, type Trust } from '../domain/kind.ts';
import { LOCAL_USER } from '../domain/principal.ts';
import { EXIT_CODES } from './exit-code.ts';
import { homeDatabase } from './home-database.ts';
import type { Command, Given } from './command.ts';
import { MCP_FLAGS, mcpFlags, type McpFlags } from './mcp-flags.ts';
import { assertOwn } from './open-memory.ts';
import { unlessStopped, untilStopped } from './terminal/stop-signal.ts';

/** Clients do not wait longer for a tool. */
const REMOTE_TIMEOUT_MS = 60_000;

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve memory to an MCP client over stdio.',
  flags: MCP_FLAGS,
  examples: [
    { line: 'lamina mcp', does: 'For a client that starts it: your own memory, in the folder .lamina of your home.' },
    { line: 'lamina mcp --project apollo --tools agent', does: 'With the memory of a project, and fewer tools.' },
    {
      line: 'lamina mcp --url https://memory.example.com',
      does: 'In front of a service; LAMINA_TOKEN is the key for it.',
    },
  ],
  notes: [
    'Standard output is for the protocol; messages for people go to standard error. It ends when its input ends, and on',
    'SIGTERM and SIGINT. Several can run on one folder at the same time. No client is an administrator.',
  ].join('\n'),
  async run(given) {
    const flags = mcpFlags(given, tokenOf(given.terminal.environment) !== undefined);
    const defaults = { databaseUrl: homeDatabase() };
    const configuration = await loadConfiguration(given.terminal.environment, flags.settings, process.cwd(), defaults);
    await unlessStopped(given.signal, assertToken(given, flags));
    return serveWith(flags, configuration, given.signal);
  },
};

/** Throws a usage error for a principal that is not the token's. A service that is down for now refuses it later, by itself. */
async function assertToken(given: Given, { url, principal }: McpFlags): Promise<void> {
  const token = tokenOf(given.terminal.environment);
  if (url === undefined || token === undefined) return;
  const { remoteMemory } = await import('../compose/remote-memory.ts');
  const opened = remoteMemory(url, token, { userId: LOCAL_USER }, { timeoutMs: REMOTE_TIMEOUT_MS });
  try {
    await assertOwn(given, opened.memory, principal);
  } catch (error) {
    if (!(error instanceof LaminaError) || error.code !== 'UNAVAILABLE') throw error;
  } finally {
    await opened.close();
  }
}

/** Standard output belongs to the protocol: whatever else is said goes to standard error. */
async function serveWith(flags: McpFlags, configuration: Configuration, signal: AbortSignal): Promise<number> {
  globalThis.console = new Console(process.stderr, process.stderr);
  const stopped = untilStopped(signal);
  const log = logAt(configuration.logLevel);
  const version = await packageVersion();
  const opening = open(flags, configuration, version);
  // A database that does not answer must not keep a client from ending what it has started.
  const opened = await Promise.race([opening, stopped.then(() => undefined)]);
  if (opened === undefined) return process.exit(EXIT_CODES.ok.code);
  try {
    const { serveMcpStdio } = await import('../mcp/serve-mcp-stdio.ts');
    const { toolSets, place } = flags;
    const maxSensitivity = shownAtMost(flags, configuration, (problem) => log('warn', problem));
    const connection = serveMcpStdio({
      context: {
        memory: opened.memory,
        ...place,
        ...(maxSensitivity && { maxSensitivity }),
        ...trustIn(flags, configuration),
      },
      version,
      toolSets,
      stdin: process.stdin,
      stdout: process.stdout,
      warn: (problem) => log('warn', problem),
      report: ({ code, message, operation, cause }) =>
        log('error', `${operation}: ${code}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`),
    });
    log('info', `Lamina ${version} serves ${placeOf(flags, configuration)} to an MCP client on standard input.`);
    await Promise.race([stopped, connection.ended]);
    await connection.close();
  } finally {
    await opened.close();
  }
  return EXIT_CODES.ok.code;
}

/** What it needs is loaded only now, so that help and refusals come at once. */
async function open(
  { url, principal, isUserNamed }: McpFlags,
  configuration: Configuration,
  version: string,
): Promise<OpenMemory> {
  if (url !== undefined) {
    const { remoteMemory } = await import('../compose/remote-memory.ts');
    return remoteMemory(url, tokenOf(process.env), principal, { timeoutMs: REMOTE_TIMEOUT_MS, isUserNamed });
  }
  const { embeddedMemory } = await import('../compose/embedded-memory.ts');
  return embeddedMemory(configuration, principal, version);
}

/** Memory in this process is shown by its policy. The policy of a service holds for turns there, and is not known here. */
function shownAtMost(
  { url, maxSensitivity: asked }: McpFlags,
  { turn: policy }: Configuration,
  warn: (problem: string) => void,
): Sensitivity | undefined {
  if (url !== undefined) return asked;
  const allowed = narrowed(policy.maxSensitivity, asked);
  if (asked !== undefined && allowed !== asked) {
    warn(
      `--max-sensitivity ${asked} can only narrow turn.maxSensitivity, which is ${allowed}: nothing above is shown.`,
    );
  }
  return allowed;
}

/** Likewise. */
function trustIn({ url }: McpFlags, { turn: { minTrust } }: Configuration): { minTrust?: Trust } {
  return url === undefined ? { minTrust } : {};
}

/** From the environment: other users of a machine can read command lines. */
function tokenOf(environment: NodeJS.ProcessEnv): string | undefined {
  return environment[TOKEN_VARIABLE]?.trim() || undefined;
}

function placeOf({ url }: McpFlags, { databaseUrl }: Configuration): string {
  if (url !== undefined) return url;
  const address = databaseAddress(databaseUrl);
  return address === undefined || address.engine === 'postgres' ? shownAddress(databaseUrl) : address.folder;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function logAt(threshold: string): (level: string, text: string) => void {
  return (level, text) => {
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(threshold)) process.stderr.write(`${level}: ${text}\n`);
  };
}
