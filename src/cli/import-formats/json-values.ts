/** The values of a JSON file one after the other, however large it is: of a list, of lines, or the one that it is. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LaminaError } from '../../domain/error.ts';
import { fileChunks } from '../bundle/bundle-file.ts';
import { arrayElements } from './array-elements.ts';
import type { Telling } from './import-format.ts';
import { isRecord, type SourceRecord } from './source-fields.ts';

export interface Found<T> {
  readonly value: T;
  /** `Item 3`, `Line 3`. */
  readonly where: string;
}

const ZIP = 'PK\u0003\u0004';

/** The file, or those in a folder whose names match, in their order. Throws `NOT_FOUND`. */
export async function filesAt(path: string, names: RegExp): Promise<string[]> {
  if (!(await isFolder(path))) return [path];
  const files = (await readdir(path)).filter((name) => names.test(name)).toSorted();
  if (files.length > 0) return files.map((name) => join(path, name));
  throw new LaminaError('NOT_FOUND', `There is no file of this format in the folder "${path}". Name the file.`);
}

/** Throws `NOT_FOUND` where there is nothing. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw new LaminaError('NOT_FOUND', `"${path}" cannot be read: there is no such file or folder.`, { cause });
  }
}

/**
 * The records in some files. A record that has a list under one of the wrappers stands for what is in it: `{"results": […]}`.
 * What is no record is a problem.
 */
export async function* recordsOf(
  files: readonly string[],
  telling: Telling,
  wrappers: readonly string[] = [],
): AsyncGenerator<Found<SourceRecord>, void> {
  for (const file of files) {
    const prefix = files.length > 1 ? `${file}: ` : '';
    for await (const { value, where } of valuesIn(file, telling)) {
      yield* recordsWithin(value, `${prefix}${where}`, telling, wrappers);
    }
  }
}

function* recordsWithin(
  value: unknown,
  where: string,
  telling: Telling,
  wrappers: readonly string[],
): Generator<Found<SourceRecord>, void> {
  const wrapper = isRecord(value) ? wrappers.find((key) => Array.isArray(value[key])) : undefined;
  const list = isRecord(value) && wrapper !== undefined ? value[wrapper] : value;
  if (isRecord(value) && wrapper !== undefined) {
    for (const [key, beside] of Object.entries(value)) {
      if (key !== wrapper && Array.isArray(beside) && beside.length > 0) telling.leftOut(key, beside.length);
    }
  }
  if (Array.isArray(list)) {
    for (const [index, item] of list.entries()) {
      const place = where === DOCUMENT ? `Item ${index + 1}` : `${where}, item ${index + 1}`;
      yield* recordsWithin(item, place, telling, []);
    }
  } else if (isRecord(list)) yield { value: list, where };
  else telling.problem(where, 'not a JSON object');
}

const DOCUMENT = 'The document';

async function* valuesIn(file: string, telling: Telling): AsyncGenerator<Found<unknown>, void> {
  const chunks = decoded(file)[Symbol.asyncIterator]();
  let head = '';
  while (head.trim() === '') {
    const next = await chunks.next();
    if (next.done === true) break;
    head += next.value;
  }
  if (head.startsWith(ZIP)) {
    throw new LaminaError('VALIDATION_FAILED', `"${file}" is a ZIP archive: unpack it, and name the folder.`);
  }
  const whole = async function* (): AsyncGenerator<string, void> {
    yield head;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  if (head.trimStart().startsWith('[')) yield* listValues(whole(), telling);
  else yield* lineValues(linesIn(whole()), telling);
}

async function* decoded(file: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const chunk of fileChunks(file)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

async function* listValues(chunks: AsyncIterable<string>, telling: Telling): AsyncGenerator<Found<unknown>, void> {
  let count = 0;
  for await (const { text, isWhole } of arrayElements(chunks)) {
    count += 1;
    const where = `Item ${count}`;
    const parsed = isWhole ? parse(text) : undefined;
    if (parsed) yield { value: parsed.value, where };
    else telling.problem(where, isWhole ? 'not JSON' : 'the file ends in the middle of it');
  }
}

async function* linesIn(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/** A value on each line, unless the first line is only the beginning of one. */
async function* lineValues(lines: AsyncIterable<string>, telling: Telling): AsyncGenerator<Found<unknown>, void> {
  const begun: string[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (begun.length > 0) begun.push(line);
    else if (line.trim() !== '') {
      const parsed = parse(line);
      if (parsed) yield { value: parsed.value, where: isDocument(parsed.value, number) ? DOCUMENT : `Line ${number}` };
      else if (number === 1) begun.push(line);
      else telling.problem(`Line ${number}`, 'not JSON');
    }
  }
  if (begun.length > 0) yield* begunValues(begun, telling);
}

/** One line that holds a list of all there is. */
function isDocument(value: unknown, line: number): boolean {
  return line === 1 && isRecord(value) && Object.values(value).some((inner) => Array.isArray(inner));
}

function* begunValues(lines: readonly string[], telling: Telling): Generator<Found<unknown>, void> {
  const whole = parse(lines.join('\n'));
  if (whole) return yield { value: whole.value, where: DOCUMENT };
  const parsed = lines.map((line) => parse(line));
  if (!parsed.some((each) => each && isRecord(each.value))) return telling.problem(DOCUMENT, 'not JSON');
  for (const [index, each] of parsed.entries()) {
    if (each) yield { value: each.value, where: `Line ${index + 1}` };
    else if (lines[index]?.trim() !== '') telling.problem(`Line ${index + 1}`, 'not JSON');
  }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
