/** Every method of `memory`, from the table of operations. */

import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS, type OperationName } from '../../src/operations/table.ts';
import { jsonSchemaOf } from '../../src/operations/wire-schema.ts';
import { code, fence, page, prose, table } from './markdown.ts';
import { operationLink } from './operation-link.ts';

type Row = [OperationName, Operation];

export function libraryPage(): string {
  const rows = Object.entries(OPERATIONS) as Row[];
  const groups = [...new Set(rows.map(([, { group }]) => group))];
  return page(
    'Library',
    '`Lamina.open(…)` gives the memory of everybody on an engine; `lamina.as(principal)` gives `memory` as one principal ' +
      'sees it. `new LaminaClient({ url })` from `lamina/client` has the same `as`, over HTTP. Every method takes one object, ' +
      '`addMany` a list. What fails is a [`LaminaError`](../errors.md) and has changed nothing, unless the method works ' +
      '[in parts](../concurrency.md#what-is-atomic), or its answer got lost (`UNAVAILABLE`).',
    fence(
      'ts',
      [
        "import { Lamina } from 'lamina';",
        '',
        "const lamina = await Lamina.open({ folder: './lamina-data' });",
        "const memory = lamina.as({ userId: 'alice' });",
        "const { memory: entry } = await memory.add({ content: 'Prefers tea', layer: 'user' });",
        "await memory.working.set({ planId: 'p-1', key: 'step', value: 3 });",
        'console.log(await memory.get({ id: entry.id }));',
        'await lamina.close();',
      ].join('\n'),
    ),
    'Fields with a question mark can be left out. What they are is told by the operation of the same name over ' +
      '[HTTP](http/index.md), in snake_case there.',
    ...groups.map((group) => groupSection(group, rows)),
  );
}

function groupSection(group: string, rows: readonly Row[]): string {
  const methods = rows
    .filter(([, row]) => row.group === group)
    .map(([name, row]) => {
      const link = `http/${operationLink(name)}`;
      return [`[${code(`memory.${name}`)}](${link})`, prose(row.summary), inputOf(name, row), outputOf(name, row)];
    });
  return `## ${group}\n\n${table(['method', 'what it does', 'takes', 'gives'], methods)}`;
}

/** It takes and gives plain lists in the library. */
const LISTS: Readonly<Record<string, readonly [string, string]>> = {
  addMany: ['a list of what `add` takes', 'a list of what `add` gives'],
};

function inputOf(name: string, { input }: Operation): string {
  const [list] = LISTS[name] ?? [];
  if (list !== undefined) return list;
  const { properties = {}, required = [] } = jsonSchemaOf(input, 'input');
  const names = Object.keys(properties);
  const sorted = [
    ...names.filter((each) => required.includes(each)),
    ...names.filter((each) => !required.includes(each)),
  ];
  return sorted.map((each) => code(required.includes(each) ? each : `${each}?`)).join(', ');
}

function outputOf(name: string, { output, absent, isStream }: Operation): string {
  const [, list] = LISTS[name] ?? [];
  if (list !== undefined) return list;
  const names = Object.keys(jsonSchemaOf(output, 'output').properties ?? {}).map(code);
  if (isStream) return `an iteration over: ${names.join(', ')}`;
  if (names.length === 0) return 'nothing';
  return `${names.join(', ')}${absent && absent.output === null ? ', or null' : ''}`;
}
