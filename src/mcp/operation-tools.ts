/** Every operation of the table as a tool, for programs that want all of memory and not only what agents usually need. */

import { camelCase, snakeCase } from '../domain/spelling.ts';
import type { Memory } from '../operations/memory.ts';
import type { Operation } from '../operations/operation.ts';
import { presentOutput } from '../operations/present-output.ts';
import { jsonSchemaOf } from '../operations/wire-schema.ts';
import { OPERATIONS, type OperationInput, type OperationName } from '../operations/table.ts';
import type { MemoryTool } from '../tools/memory-tool.ts';

/** Operations that are not offered as tools, each with the reason. */
export const WITHOUT_TOOL: Readonly<Partial<Record<OperationName, string>>> = {
  'events.follow': 'It never ends, but a tool call must: subscribe to resources instead.',
  'pools.follow': 'It never ends, but a tool call must.',
  'openspec.stream': 'It never ends, but a tool call must.',
  'keys.create': 'It returns a secret, and what a model sees may be stored and shown in many places.',
  'admin.eraseUser': 'It erases a person for good: a person must decide that.',
  'admin.eraseTenant': 'It erases a whole tenant: a person must decide that.',
  'admin.exportPage':
    'It returns the private data of every user of a tenant, and what a model sees may be stored and shown.',
  'quarantine.list': 'It shows text that may be meant to mislead a model: a person must review it.',
  'quarantine.release': 'It declares text trusted: a person must decide that.',
  'quarantine.reject': 'It deletes what a person must review.',
  'admin.importPage': 'It writes on behalf of any user of the tenant: a person must decide that.',
};

/** `working.set` as `working_set`, `addMany` as `add_many`: model providers refuse dots. */
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
  const { isReading: isReadOnly = method === 'GET' } = operation;
  return {
    name: operationToolName(name),
    title: `${operation.group}: ${operation.summary.replace(/\.$/, '')}`,
    description: descriptionOf(operation),
    input: operation.input,
    output: operation.output,
    isReadOnly,
    // An operation that answers 201 creates something; any other write may overwrite or delete.
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
  // Some quoted words are values, not fields.
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
