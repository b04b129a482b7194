/** Small data sets of our own making, in the formats in which others publish theirs. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type Said = readonly [speaker: string, text: string, caption?: string];

function locomoConversation(
  name: string,
  sessions: Readonly<Record<number, { readonly at: string; readonly said: readonly Said[] }>>,
  qa: readonly (readonly [question: string, category: number, evidence?: readonly string[]])[],
) {
  const conversation: Record<string, unknown> = { speaker_a: 'Mira', speaker_b: 'Tobin' };
  for (const [number, { at, said }] of Object.entries(sessions)) {
    conversation[`session_${number}_date_time`] = at;
    conversation[`session_${number}`] = said.map(([speaker, text, caption], index) => ({
      speaker,
      dia_id: `D${number}:${index + 1}`,
      text,
      ...(caption !== undefined && { blip_caption: caption }),
    }));
  }
  return {
    sample_id: name,
    conversation,
    qa: qa.map(([question, category, evidence]) => ({ question, category, ...(evidence && { evidence }) })),
  };
}

/** Two conversations. The tenth session comes after the second one, though not in the alphabet. */
export function locomoFile() {
  return [
    locomoConversation(
      'harbour',
      {
        10: {
          at: '12:05 am on 3 March, 2024',
          said: [
            ['Mira', 'The boat has a new name now: we painted Petrel on her stern.'],
            ['Tobin', 'A good name. I gave up on sailing and keep bees instead.', 'three wooden beehives in a garden'],
            ['Mira', 'Did they survive the frost?'],
            ['Tobin', 'Two hives did, the third one starved.'],
          ],
        },
        2: {
          at: '1:56 pm on 8 May, 2023',
          said: [
            ['Mira', 'I bought an old wooden boat last week and it leaks everywhere.'],
            ['Tobin', 'My cousin Ilse repairs boats in Delft, you could ask her.'],
            ['Mira', ' '],
            ['Mira', 'She charges by the plank, I hear. Still cheaper than a shipyard.'],
          ],
        },
      },
      [
        ['What is painted on the stern of the boat?', 4, ['D10:1']],
        ['Who repairs boats in Delft?', 4, ['D2:2']],
        ['What does Tobin do since he gave up sailing, and how did it go?', 1, ['D10:2; D:10:4', 'D99:1']],
        ['When did Mira buy the boat?', 2, ['D2:1', 'D2:3']],
        ['Which bees does Mira keep?', 5, ['D10:2']],
        ['Is it far to the sea?', 3],
      ],
    ),
    locomoConversation(
      'orchard',
      {
        1: {
          at: '9:30 am on 1 October, 2023',
          said: [
            ['Mira', 'The quinces are ripe, I boiled them to jelly all night.'],
            ['Tobin', 'My grandmother added cardamom to her jelly.'],
            ['Mira', 'A wasp stung me on the ladder while picking.'],
          ],
        },
      },
      [
        ['What did the grandmother put into the jelly?', 4, ['D1:2']],
        ['What stung Mira on the ladder?', 4, ['D1:3']],
      ],
    ),
  ];
}

/** The same conversations under so many names. */
export function longLocomoFile(copies: number) {
  return Array.from({ length: copies }, (_, copy) =>
    locomoFile().map((one) => ({ ...one, sample_id: `${one.sample_id} ${copy}` })),
  ).flat();
}

/** Three questions: one with its sessions in disorder, one without an answer, one whose turns are not marked. */
export function longMemEvalFile() {
  const kettle = [
    { role: 'user', content: 'My kettle broke, so I ordered a copper one.', has_answer: true },
    { role: 'assistant', content: 'Copper keeps its heat well. Descale it once a month.' },
  ];
  const marathon = [
    { role: 'user', content: 'I ran the marathon of Utrecht in four hours.', has_answer: false },
    { role: 'assistant', content: 'Congratulations on finishing it.' },
  ];
  return [
    {
      question_id: 'q1',
      question_type: 'single-session-user',
      question: 'Which kettle did I order?',
      answer: 'A copper one',
      question_date: '2023/06/30 (Fri) 08:00',
      haystack_dates: ['2023/05/22 (Mon) 10:15', '2023/05/20 (Sat) 02:21'],
      haystack_session_ids: ['s-kettle', 's-marathon'],
      haystack_sessions: [kettle, marathon],
      answer_session_ids: ['s-kettle'],
    },
    {
      question_id: 'q2_abs',
      question_type: 'single-session-user',
      question: 'Which toaster did I order?',
      answer: 'You did not say',
      question_date: '2023/06/30 (Fri) 08:00',
      haystack_dates: ['2023/05/20 (Sat) 02:21'],
      haystack_session_ids: ['s-kettle'],
      haystack_sessions: [kettle],
      answer_session_ids: ['s-kettle'],
    },
    {
      question_id: 'q3',
      question_type: 'temporal-reasoning',
      question: 'How long did the marathon take me?',
      answer: 4,
      question_date: '2023/06/30',
      haystack_dates: ['2023/05/20 (Sat) 02:21'],
      haystack_session_ids: ['s-marathon'],
      haystack_sessions: [marathon],
      answer_session_ids: ['s-marathon', 's-gone'],
    },
  ];
}

export async function writeJson(folder: string, name: string, value: unknown): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}
