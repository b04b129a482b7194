/** `lamina import`: brings a bundle into a tenant, and with `--from` what others wrote into a memory. */

import { importBundleFile } from './bundle/import-bundle-file.ts';
import { RENAMING_FLAGS } from './bundle/renamings.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { FORMAT_NAMES } from './import-formats/format-names.ts';
import { assertFlagsFit } from './import-formats/import-flags.ts';
import { whereInMemory, whichMemory } from './memory-flags.ts';

const FALLBACKS: Readonly<Record<string, { readonly fallback: string }>> = {
  tenant: { fallback: 'that of the bundle; with --from the nil tenant' },
  user: { fallback: 'the local user; with --from whoever the source names, else the local user' },
};

export const importCommand: Command = {
  name: 'import',
  summary: 'Read what lamina export wrote, or with --from what others wrote.',
  parameters: [
    {
      name: 'FILE',
      description: 'The bundle, packed or not; - for the standard input. With --from a file or a folder',
    },
  ],
  flags: [
    {
      name: 'from',
      value: 'FORMAT',
      choices: FORMAT_NAMES,
      description: 'The format, where another program wrote it; auto finds out',
      fallback: 'a bundle of lamina export',
    },
    { name: 'check', description: 'Only check it and tell what is in it; write nothing' },
    { name: 'strict', description: 'With --from: write nothing where anything is broken, and do not go on without it' },
    { name: 'no-vectors', description: 'Leave out its vectors and embed anew, with the model in use' },
    JSON_FLAG,
    ...RENAMING_FLAGS,
    ...whichMemory(),
    ...whereInMemory('With --from: where it goes', 'the layer of the id that is given, else user').map((flag) => ({
      ...flag,
      ...FALLBACKS[flag.name],
    })),
  ],
  examples: [
    { line: 'lamina import memory.jsonl.gz', does: 'Bring back what was exported, into the tenant that it came from.' },
    { line: 'lamina import memory.jsonl.gz --check', does: 'Tell whether it is whole, and what is in it.' },
    {
      line: 'lamina import memory.jsonl.gz --tenant 6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11 --map-user alice=bob',
      does: 'Into another tenant, with what was alice’s as bob’s.',
    },
    { line: 'lamina import --from chatgpt conversations.json --check', does: 'What would come of a ChatGPT export.' },
    { line: 'lamina import --from markdown notes --project apollo', does: 'A folder of notes, for a project.' },
  ],
  notes: [
    [
      'A file is checked whole before anything of it is written; what is piped in is checked as it comes. What is there already',
      'stays as it is: importing twice changes nothing, and an import that was interrupted is finished by starting it again.',
    ].join('\n'),
    [
      'With --url it takes an administrator, and goes into the administrator’s own tenant; API keys and the audit log are left',
      'out. Where Qdrant is used and the import goes into the database, run lamina reindex qdrant afterwards.',
    ].join('\n'),
    [
      'With --from every memory keeps what its source calls it: importing twice changes nothing, and what has changed since is',
      'updated. What is broken is told with its place, and the rest is imported; then the command ends with 1. What cannot be',
      'carried over is counted. Everything of a format has the tag import:FORMAT, and at its end the import tells the commands that',
      'forget it again, one for each user and layer: lamina forget --tag import:chatgpt --quarantined --user alex.',
    ].join('\n'),
  ].join('\n\n'),
  async run(given) {
    assertFlagsFit(given);
    const format = given.value('from');
    if (format === undefined) return importBundleFile(given);
    const { importFrom } = await import('./import-formats/import-from.ts');
    return importFrom(given, format);
  },
};
