/**
 * The `sh` blocks of a page as one script, run in a folder of its own. `lamina`, `npx lamina` and `npm start` are this
 * checkout; `lamina serve` stays in the background until the page ends; `curl` fails where the service refuses.
 */

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { EXAMPLE_ADDRESS } from './docs-program.ts';
import { blocksOf, givenOf, type CodeBlock, type Page } from './markdown-pages.ts';

/** At the beginning of a command: after variables, a pipe, or `$(`. */
const OURS = /(?:^|[|;&(]) *(?:\w+=\S* +)*(?:(?:npx (?:-y )?)?lamina|curl|npm start)\b/m;

/** Blocks that only install or start something of others are not for us to run. */
export function isScript({ language, code }: CodeBlock): boolean {
  return language === 'sh' && OURS.test(code.replaceAll(/^#.*$/gm, ''));
}

const LAMINA = `#!/usr/bin/env bash
program() { exec "$DOCS_NODE" "$DOCS_ROOT/bin/lamina.js" "$@"; }
[[ "\${1:-}" == serve && " $* " != *" --help "* ]] || program "$@"
[[ -f "$DOCS_HOME/pid" ]] && kill "$(cat "$DOCS_HOME/pid")" && sleep 0.5
(program "$@" --port "$DOCS_PORT") >"$DOCS_HOME/serve.log" 2>&1 </dev/null &
echo $! >"$DOCS_HOME/pid"
for _ in $(seq 300); do
  "$DOCS_CURL" -sf "http://127.0.0.1:$DOCS_PORT/live" >/dev/null && exit 0
  kill -0 "$(cat "$DOCS_HOME/pid")" 2>/dev/null || break
  sleep 0.1
done
cat "$DOCS_HOME/serve.log" >&2
exit 1
`;

const NPX = `#!/usr/bin/env bash
[[ "$1" == -y ]] && shift
[[ "$1" == lamina ]] || { echo "npx $1 is not at hand." >&2; exit 1; }
exec "$@"
`;

const NPM = `#!/usr/bin/env bash
[[ "$1" == install ]] && exit 0
[[ "$1" == start ]] && exec lamina serve
echo "npm $1 is not at hand." >&2
exit 1
`;

/** A stream has no end: two seconds of it will do. Samples name what is not there, and may be told so. */
const CURL = `#!/usr/bin/env bash
streams=()
for each in "$@"; do [[ "$each" == -N ]] && streams=(--max-time 2); done
if [[ -n "\${DOCS_SAMPLES:-}" ]]; then
  status="$("$DOCS_CURL" -s "\${streams[@]}" -o "$DOCS_HOME/answer" -w '%{http_code}' "$@")"
  [[ "$status" =~ ^(2|401|403|404|409|429) ]] && ! grep -qE 'nothing at this path|This path has no' "$DOCS_HOME/answer" && exit 0
  echo "$status $(cat "$DOCS_HOME/answer")" >&2
  exit 1
fi
"$DOCS_CURL" -sS --fail-with-body "\${streams[@]}" "$@"
code=$?
[[ $code == 28 && \${#streams[@]} -gt 0 ]] && exit 0
exit $code
`;

/** Runs the blocks in order. Resolves with why it failed, or undefined. */
export async function runScripts(page: Page, blocks: readonly CodeBlock[], home: string): Promise<string | undefined> {
  const bin = join(home, 'bin');
  const folder = join(home, 'folder');
  for (const each of [bin, folder]) mkdirSync(each, { recursive: true });
  for (const [name, script] of Object.entries({ lamina: LAMINA, npx: NPX, npm: NPM, curl: CURL })) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  const port = await freePort();
  const isSamples = blocks.some(({ mark }) => mark === 'sample');
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LAMINA_'));
  const child = spawn('bash', ['-e', '-o', 'pipefail'], {
    cwd: folder,
    env: {
      ...Object.fromEntries(inherited),
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      DOCS_HOME: home,
      DOCS_ROOT: resolve('.'),
      DOCS_NODE: process.execPath,
      DOCS_CURL: realCurl(),
      DOCS_PORT: String(port),
      ...(isSamples && { DOCS_SAMPLES: '1' }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(scriptOf([...blocks, ...givenOf(page, blocks, blocksOf(page))], port));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  await stopService(home);
  if (code === 0) return undefined;
  const line = /@@ (\d+)\n(?!.*@@)/s.exec(stdout)?.[1] ?? '?';
  return `${page.path}:${line} ended with ${code}:\n${stdout.slice(-1500)}\n${stderr.slice(-3000)}`;
}

function scriptOf(pieces: readonly { readonly code: string; readonly line: number }[], port: number): string {
  const inOrder = pieces.toSorted((left, right) => left.line - right.line);
  const script = inOrder.map(({ code, line }) => `echo "@@ ${line}"\n${code}`).join('\n');
  const [needed, started] = [script.search(EXAMPLE_ADDRESS), script.search(/lamina serve|npm start/)];
  const isMissing = needed !== -1 && (started === -1 || needed < started);
  const whole = `${isMissing ? 'lamina serve\n' : ''}${script}`.replaceAll(EXAMPLE_ADDRESS, `127.0.0.1:${port}`);
  // Read as a whole before it runs, so that no command takes the rest of it for its input.
  return `{\n${whole}\n} </dev/null\nexit\n`;
}

async function stopService(home: string): Promise<void> {
  const file = join(home, 'pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8'));
  const isAlive = (): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  if (isAlive()) process.kill(pid, 'SIGTERM');
  for (let waited = 0; isAlive() && waited < 100; waited += 1) await new Promise((wake) => setTimeout(wake, 100));
}

function realCurl(): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.map((folder) => join(folder, 'curl')).find(existsSync) ?? 'curl';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
