/** Every operation of the table as a tool, for programs that want all of memory and not only what agents usually need. */

import { camelCase, snakeCase } from '../domain/spelling.ts';
import type { Memory } from '../operations/memory.ts';
import type { Operation } from '../operations/operation.ts';
import { presentOutput } from '../operations/present-output.ts';
import { jsonSchemaOf } from '../operations/wire-schema.ts';
import { OPERATIONS, type OperationInput, type OperationName } from '../operations/table.ts';
import type { MemoryTool } from '../tools/memory-tool.ts';

/** Operations that are no tools, each with the reason. */
export const WITHOUT_TOOL: Readonly<Partial<Record<OperationName, string>>> = {
  'events.follow': 'It has no end, and a tool has one: subscribe to resources instead.',
  'pools.follow': 'It has no end, and a tool has one.',
  'openspec.stream': 'It has no end, and a tool has one.',
  'keys.create': 'Its answer is a secret, and what a model is told may be kept and shown in many places.',
  'admin.eraseUser': 'It takes back a right of a person for good: a person decides on it.',
  'admin.eraseTenant': 'It leaves nothing of a whole tenant: a person decides on it.',
  'admin.exportPage':
    'It tells what is private to every user of a tenant, and what a model is told may be kept and shown.',
  'quarantine.list': 'It shows what may be meant to mislead a model: a person looks at it.',
  'quarantine.release': 'It says that text can be trusted: a person decides on it.',
  'quarantine.reject': 'It deletes what a person has to look at.',
  'admin.importPage': 'It writes in the name of any user of the tenant: a person decides on it.',
};

/** They ask by POST, because what they ask does not fit into an address, and change nothing. */
const READING_POSTS: ReadonlySet<OperationName> = new Set<OperationName>([
  'search',
  'turnContext',
  'items.retrieve',
  'router.read',
  'router.search',
  'contextEntries.search',
  'openspec.query',
]);

/** `working.set` as `working_set`, `addMany` as `add_many`: a dot is refused by providers of models. */
export function operationToolName(name: OperationName): string {
  return snakeCase(name).replaceAll('.', '_');
}

/** Tools by the names of {@link operationToolName}, in the order of the table. */
export function operationTools(): readonly MemoryTool[] {
  const names = Object.keys(OPERATIONS) as OperationName[];
  return names.filter((name) => WITHOUT_TOOL[name] === undefined).map(operationTool);
}

function operationTool(name: OperationName): MemoryTool {
  const operation: Operation = OPERATIONS[name];
  const { method, status } = operation.http;
  const isReadOnly = method === 'GET' || READING_POSTS.has(name);
  return {
    name: operationToolName(name),
    title: `${operation.group}: ${operation.summary.replace(/\.$/, '')}`,
    description: descriptionOf(operation),
    input: operation.input,
    output: operation.output,
    isReadOnly,
    // What answers 201 makes something new; anything else that changes something may take away what was there.
    isDestructive: !isReadOnly && status !== 201,
    isIdempotent: isReadOnly || ((method === 'PUT' || method === 'DELETE') && operation.isRepeatable !== false),
    run: async ({ memory }, input) => presentOutput(operation, await call(memory, name, input)) as never,
  };
}

/** The table's descriptions name fields as HTTP does; tools take them as the library does. */
function descriptionOf({ summary, description = '', input, output }: Operation): string {
  const text = `${summary} ${description}`.trim();
  const quoted = text.match(/(?<=`)[a-z]+(_[a-z]+)+(?=`)/g) ?? [];
  if (quoted.length === 0) return text;
  const schemas = JSON.stringify([jsonSchemaOf(input, 'input'), jsonSchemaOf(output, 'output')]);
  // Some of what is quoted is a value and not a field.
  const fields = quoted.filter((name) => schemas.includes(`"${camelCase(name)}":`));
  return fields.reduce((told, name) => told.replaceAll(`\`${name}\``, `\`${camelCase(name)}\``), text);
}

type Method = (input: object) => Promise<object | null>;

/** The method of an operation: `memory.search`, `memory.working.set`. */
async function call(memory: Memory, name: OperationName, input: object): Promise<object | null> {
  if (name === 'addMany') {
    return { results: await memory.addMany((input as OperationInput<'addMany'>).memories) };
  }
  const [first = '', second] = name.split('.');
  const found = (memory as unknown as Record<string, unknown>)[first];
  const method = second === undefined ? found : (found as Record<string, unknown>)[second];
  return (method as Method)(input);
}
