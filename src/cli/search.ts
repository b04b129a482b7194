/** `lamina search`: finds memories, and with `--explain` shows what made each score. */

import type { PrincipalInput } from '../domain/principal.ts';
import { MODES, type SearchOutput } from '../domain/recall.ts';
import type { OperationInput } from '../operations/table.ts';
import { readFlagValues, usageError, type Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { homeDatabase } from './home-database.ts';
import { MEMORY_FLAGS, openMemory, placeFrom, principalFrom, whichMemory } from './memory-flags.ts';
import { searchText } from './search-text.ts';

const SWITCHES = ['--explain', '--json', '--record'];
const FLAGS = [...MEMORY_FLAGS, 'limit', 'threshold', 'mode'];

export const search: Command = {
  name: 'search',
  summary: 'Find memories by meaning and by words, and explain their scores.',
  help: () =>
    [
      search.summary,
      '',
      'Usage: lamina search QUERY [--explain] [flags]',
      '',
      '  --explain          Show what each signal adds to the score, or takes away',
      '  --json             The answer as JSON, as the service gives it',
      '  --record           Keep a receipt of the search, for lamina bench replay',
      '  --limit            How many at most. Default: 10',
      '  --threshold        The least score, 0 to 1. Default: 0.7',
      `  --mode             ${MODES.join(', ')}. Default: hybrid`,
      ...whichMemory(', else that of lamina mcp: the folder .lamina of your home'),
      '  --layer            Only this layer. Default: every one that the ids open',
      '  --project, --team, --org, --company, --session, --agent    Whose. Default: your own',
      '  --user, --tenant   On whose behalf. Default: the local user of the nil tenant',
      '',
    ].join('\n'),
  async run(args) {
    const [query, ...rest] = args;
    if (query === undefined || query.startsWith('-')) throw usageError('What to look for comes first.', search.name);
    const given = new Set(rest.filter((arg) => SWITCHES.includes(arg)));
    const values = readFlagValues(
      search.name,
      rest.filter((arg) => !given.has(arg)),
      FLAGS,
    );
    const principal = principalFrom(search.name, values);
    const input = { ...inputFrom(query, values, principal), ...(given.has('--record') && { record: true }) };
    const opened = await openMemory(values, principal, homeDatabase());
    try {
      const found = await opened.memory.search(input);
      process.stdout.write(given.has('--json') ? jsonOf(found) : searchText(found, given.has('--explain')));
    } finally {
      await opened.close();
    }
    return EXIT_CODES.ok.code;
  },
};

function inputFrom(
  query: string,
  values: ReadonlyMap<string, string>,
  principal: PrincipalInput,
): OperationInput<'search'> {
  const { layer, identifiers } = placeFrom(search.name, values, principal, 'user');
  const mode = MODES.find((each) => each === values.get('mode'));
  if (values.has('mode') && mode === undefined) throw usageError(`--mode accepts ${MODES.join(', ')}.`, search.name);
  return {
    query,
    ...(values.has('layer') && { layers: [layer] }),
    ...(identifiers && { identifiers: { userId: principal.userId, ...identifiers } }),
    ...(mode && { mode }),
    ...numberFrom(values, 'limit'),
    ...numberFrom(values, 'threshold'),
  };
}

/** Which numbers make sense the operation says. */
function numberFrom(
  values: ReadonlyMap<string, string>,
  name: 'limit' | 'threshold',
): { [Key in typeof name]?: number } {
  const text = values.get(name);
  if (text === undefined) return {};
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw usageError(`--${name} accepts a number.`, search.name);
  return { [name]: value };
}

function jsonOf(found: SearchOutput): string {
  return `${JSON.stringify(found, null, 2)}\n`;
}
