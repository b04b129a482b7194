/** `lamina import`: brings a bundle into a tenant. */

import { importBundleFile } from './bundle/import-bundle-file.ts';
import { RENAMING_FLAGS } from './bundle/renamings.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { whichMemory, WHO } from './memory-flags.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Read what lamina export wrote into a tenant.',
  parameters: [{ name: 'FILE', description: 'The bundle, packed or not; - for the standard input' }],
  flags: [
    { name: 'check', description: 'Only check it and tell what is in it; write nothing' },
    { name: 'no-vectors', description: 'Leave out its vectors and embed anew, with the model in use' },
    JSON_FLAG,
    ...RENAMING_FLAGS,
    ...whichMemory(),
    ...WHO.map((flag) => (flag.name === 'tenant' ? { ...flag, fallback: 'that of the bundle' } : flag)),
  ],
  examples: [
    { line: 'lamina import memory.jsonl.gz', does: 'Bring back what was exported, into the tenant that it came from.' },
    { line: 'lamina import memory.jsonl.gz --check', does: 'Tell whether it is whole, and what is in it.' },
    {
      line: 'lamina import memory.jsonl.gz --tenant 6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11 --map-user alice=bob',
      does: 'Into another tenant, with what was alice’s as bob’s.',
    },
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
  ].join('\n\n'),
  run: (given) => importBundleFile(given),
};
