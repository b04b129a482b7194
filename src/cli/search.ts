/** `lamina search`: finds memories, and with `--explain` shows what made each score. */

import { MODES } from '../domain/recall.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { AS_OF_FLAG, filterFrom, FILTER_FLAGS, kindsFrom, KIND_FLAG } from './entry-filter.ts';
import { countFrom, numberFrom, timeFrom } from './flag-values.ts';
import { placeFrom, principalFrom, whereInMemory, whichMemory } from './memory-flags.ts';
import { memoryName, readMemory } from './open-memory.ts';
import { searchText, type Emptiness } from './search-text.ts';
import { viewOf } from './terminal/view.ts';
import { whileWaiting } from './terminal/waiting.ts';

type SearchInput = OperationInput<'search'>;

export const search: Command = {
  name: 'search',
  summary: 'Find memories by meaning and by words, and explain their scores.',
  parameters: [{ name: 'QUERY', description: 'What to look for' }],
  flags: [
    { name: 'explain', description: 'Show what each signal adds to the score, or takes away' },
    { name: 'limit', value: 'N', description: 'How many at most', fallback: '10' },
    { name: 'threshold', value: 'SCORE', description: 'The least score, 0 to 1', fallback: '0.7' },
    { name: 'mode', value: 'MODE', choices: MODES, description: 'By what to search', fallback: 'hybrid' },
    AS_OF_FLAG,
    { name: 'record', description: 'Keep a receipt of the search, for lamina bench replay' },
    JSON_FLAG,
    ...FILTER_FLAGS,
    KIND_FLAG,
    ...whichMemory(),
    ...whereInMemory('Only this layer', 'your own, the company and every one that the ids open'),
  ],
  examples: [
    { line: 'lamina search "what do I drink in the morning"', does: 'Searches your own memory.' },
    { line: 'lamina search tea --mode keyword --threshold 0.2 --explain', does: 'By words alone, with the reasons.' },
    {
      line: 'lamina search "release date" --project apollo --json',
      does: 'Also in the memory of a project, for a program.',
    },
    { line: 'lamina search "where do I live" --tag address --as-of 30d', does: 'As it stood a month ago.' },
  ],
  async run(given) {
    const principal = principalFrom(given);
    const input = inputFrom(given);
    const { output, emptiness } = await whileWaiting(
      given,
      'Searching',
      readMemory(given, principal, async (memory) => {
        const found = await memory.search(await withOwn(memory, input));
        const isTold = found.results.length === 0 && !given.has('json');
        return { output: found, emptiness: isTold ? await emptinessOf(given, memory) : undefined };
      }),
    );
    return answer(given, output, () => searchText(output, given.has('explain'), viewOf(given), emptiness));
  },
};

/** Only of the user's own layer: with others there may be something to find in those. */
async function emptinessOf(given: Given, memory: Memory): Promise<Emptiness> {
  const { userId } = await memory.principal.get({});
  const { layer, identifiers } = placeFrom(given, 'user');
  const isOwn = layer === 'user' && identifiers === undefined;
  const hasNothing = isOwn && (await memory.list({ layer, limit: 1 })).totalCount === 0;
  return { name: await memoryName(given), userId, hasNothing };
}

/** Identifiers that are given come to one's own, which a search has where none are. A token says whose those are. */
async function withOwn(memory: Memory, input: SearchInput): Promise<SearchInput> {
  if (input.identifiers === undefined) return input;
  const { userId, tenantId: companyId } = await memory.principal.get({});
  return { ...input, identifiers: { companyId, ...input.identifiers, userId } };
}

function inputFrom(given: Given): SearchInput {
  const [query = ''] = given.words;
  const { layer, identifiers } = placeFrom(given, 'user');
  const mode = MODES.find((each) => each === given.value('mode'));
  const limit = countFrom(given, 'limit', 1);
  const threshold = numberFrom(given, 'threshold');
  const filter = filterFrom(given);
  const kinds = kindsFrom(given);
  const asOf = timeFrom(given, 'as-of');
  return {
    query,
    ...(given.has('layer') && { layers: [layer] }),
    ...(identifiers && { identifiers }),
    ...(filter && { filter }),
    ...(kinds && { kinds }),
    ...(asOf !== undefined && { asOf }),
    ...(mode && { mode }),
    ...(limit !== undefined && { limit }),
    ...(threshold !== undefined && { threshold }),
    ...(given.has('record') && { record: true }),
  };
}
