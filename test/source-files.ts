/** Reads the source tree as a graph: every file with what it imports and exports, by a real parser. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
// The parser of the test runner's own bundler. TypeScript 7 has no JavaScript interface to ask.
import { parseAst } from 'vitest/node';

export interface Import {
  readonly specifier: string;
  /** Erased before the code runs. */
  readonly isTypeOnly: boolean;
}

export interface Module {
  readonly imports: readonly Import[];
  readonly hasExportAll: boolean;
  readonly hasDefaultExport: boolean;
  /** Specifiers that cannot be read without running the code. */
  readonly hasComputedImport: boolean;
}

export interface SourceFile extends Module {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child);
  }
}

function literalOf(node: unknown): string | undefined {
  if (isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (!isNode(node) || node.type !== 'TemplateLiteral') return undefined;
  const [whole, ...more] = node['quasis'] as { value: { cooked: string } }[];
  return more.length === 0 ? whole?.value.cooked : undefined;
}

const IMPORTING = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
];

/** `import type …`, `export type … from`, `import('…')` as a type, or braces in which each name says `type`. */
function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType' || node['importKind'] === 'type' || node['exportKind'] === 'type') return true;
  const specifiers = (node['specifiers'] ?? []) as Node[];
  return (
    specifiers.length > 0 && specifiers.every((each) => each['importKind'] === 'type' || each['exportKind'] === 'type')
  );
}

function isDefaultExport(node: Node): boolean {
  if (node.type === 'ExportDefaultDeclaration' || node.type === 'TSExportAssignment') return true;
  const specifiers = node.type === 'ExportNamedDeclaration' ? (node['specifiers'] as Node[]) : [];
  return specifiers.some((each) => (each['exported'] as { name?: string }).name === 'default');
}

export function parseModule(text: string, lang: 'ts' | 'tsx' = 'ts'): Module {
  const nodes = [...walk(parseAst(text, { lang }) as unknown as Node)];
  const importing = nodes.filter((node) => IMPORTING.includes(node.type) && isNode(node['source']));
  const found = importing.map((node) => ({ specifier: literalOf(node['source']), isTypeOnly: isTypeOnly(node) }));
  return {
    imports: found.flatMap(({ specifier, ...rest }) => (specifier === undefined ? [] : [{ specifier, ...rest }])),
    hasComputedImport: found.some(({ specifier }) => specifier === undefined),
    hasExportAll: nodes.some((node) => node.type === 'ExportAllDeclaration'),
    hasDefaultExport: nodes.some(isDefaultExport),
  };
}

export function readSourceFiles(folder: string): SourceFile[] {
  const paths = globSync(`${folder}/**/*.{ts,tsx}`).map((path) => path.replaceAll('\\', '/'));
  return paths.toSorted().map((path) => {
    const text = readFileSync(path, 'utf8');
    return { path, text, ...parseModule(text, path.endsWith('x') ? 'tsx' : 'ts') };
  });
}

/** The file that a relative import names, or undefined when it names a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : undefined;
}

/** `@scope/name/sub` is the package `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
