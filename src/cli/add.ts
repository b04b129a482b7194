/** `lamina add`: remembers a text. */

import { VISIBILITIES } from '../domain/access.ts';
import { KINDS, SENSITIVITIES, SOURCE_TYPES } from '../domain/kind.ts';
import type { OperationInput } from '../operations/table.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { reviewSpotOf, spotOf } from './flags-again.ts';
import { numberFrom, objectFrom, timeFrom } from './flag-values.ts';
import { oneLayer, placeFrom, principalFrom, whichMemory, withOwnUser } from './memory-flags.ts';
import { withMemory } from './open-memory.ts';
import { quarantineText } from './quarantine-text.ts';
import { textOrInput } from './terminal/read-input.ts';
import { viewOf } from './terminal/view.ts';
import { whileWaiting } from './terminal/waiting.ts';

type AddInput = OperationInput<'add'>;

export const add: Command = {
  name: 'add',
  summary: 'Remember a text.',
  parameters: [{ name: 'TEXT', description: 'What to remember; - reads it from the standard input' }],
  flags: [
    { name: 'kind', value: 'KIND', choices: KINDS, description: 'What sort of memory it is', fallback: 'semantic' },
    { name: 'tag', value: 'TAG', repeatable: true, description: 'A tag' },
    { name: 'importance', value: 'SHARE', description: 'How much it matters, 0 to 1', fallback: '0.5' },
    { name: 'confidence', value: 'SHARE', description: 'How sure it is, 0 to 1', fallback: '1' },
    { name: 'external-id', value: 'NAME', description: 'Your own name for it: a second add by this name updates it' },
    { name: 'metadata', value: 'JSON', description: `Whatever belongs to it, such as '{"topic":"drinks"}'` },
    { name: 'source', value: 'TYPE', choices: SOURCE_TYPES, description: 'Where it comes from' },
    {
      name: 'sensitivity',
      value: 'LEVEL',
      choices: SENSITIVITIES,
      description: 'How sensitive it is',
      fallback: 'internal',
    },
    {
      name: 'visibility',
      value: 'WHO',
      choices: VISIBILITIES,
      description: 'Whether its layer shares it',
      fallback: 'what the layer suggests',
    },
    { name: 'valid-from', value: 'TIME', description: 'When it began to hold, or happened; 2d is two days ago' },
    {
      name: 'valid-to',
      value: 'TIME',
      description: 'When it ceases to hold; 2d is in two days. It is still found then, save with --as-of',
    },
    { name: 'expires', value: 'TIME', description: 'From when on it is out of sight; 30d is in thirty days' },
    JSON_FLAG,
    ...whichMemory(),
    ...oneLayer('user'),
  ],
  examples: [
    { line: 'lamina add "I prefer tea to coffee" --tag preference', does: 'Remembers it as your own.' },
    {
      line: 'lamina add "Releases are on Tuesdays" --project apollo --importance 0.8',
      does: 'For everybody in a project.',
    },
    { line: 'lamina add - --external-id notes < notes.txt', does: 'A file, which a second run brings up to date.' },
  ],
  notes: 'What is remembered already is not remembered twice: the answer says created, updated or unchanged.',
  async run(given) {
    const principal = principalFrom(given);
    const input = inputFrom(given, await textOrInput(given, given.words[0] ?? ''));
    const added = await whileWaiting(
      given,
      'Remembering',
      withMemory(given, principal, async (memory) => memory.add(await withOwnUser(memory, input))),
    );
    const { paint } = viewOf(given);
    const { status, memory, quarantined } = added;
    const done = `${paint(PAINTED[status], STATUS_WORDS[status])} ${memory.id} in ${memory.layer}`;
    const held = quarantineText(given, [reviewSpotOf(spotOf(undefined, memory))]);
    return answer(given, added, () => (quarantined ? `${done}\n${paint('yellow', held)}` : done));
  },
};

const STATUS_WORDS = { created: 'Remembered', updated: 'Updated', unchanged: 'Known already:' } as const;
const PAINTED = { created: 'green', updated: 'yellow', unchanged: 'dim' } as const;

function inputFrom(given: Given, content: string): AddInput {
  const tags = given.values('tag');
  const fields = {
    kind: KINDS.find((each) => each === given.value('kind')),
    externalId: given.value('external-id'),
    metadata: objectFrom(given, 'metadata', '{"topic":"drinks"}'),
    tags: tags.length === 0 ? undefined : [...tags],
    importance: numberFrom(given, 'importance'),
    confidence: numberFrom(given, 'confidence'),
    sensitivity: SENSITIVITIES.find((each) => each === given.value('sensitivity')),
    visibility: VISIBILITIES.find((each) => each === given.value('visibility')),
    validFrom: timeFrom(given, 'valid-from'),
    validTo: timeFrom(given, 'valid-to', 'ahead'),
    expiresAt: timeFrom(given, 'expires', 'ahead'),
  };
  const source = SOURCE_TYPES.find((each) => each === given.value('source'));
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    content,
    ...placeFrom(given, 'user'),
    ...Object.fromEntries(said),
    ...(source !== undefined && { source: { type: source } }),
  };
}
