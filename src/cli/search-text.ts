/** The answer of a search for people to read: each result in a few lines, with bars for what made its score. */

import type { Evidence, SearchOutput, SearchResult } from '../domain/recall.ts';
import { fitted, oneLine } from './terminal/shown-text.ts';
import { plain } from './terminal/style.ts';
import type { View } from './terminal/view.ts';

/** More than that is hard to read. */
const WIDTH = 100;
const INDENT = 5;
/** Of the longest bar. */
const BAR = 24;

/** Where nothing was found: for whom it was searched, and whether there was anything of theirs to find. */
export interface Emptiness {
  readonly name: string;
  readonly userId: string;
  readonly hasNothing: boolean;
}

export function searchText(
  { results, totalCount, warnings, receiptId }: SearchOutput,
  isExplained: boolean,
  view: Pick<View, 'paint' | 'width'> = { paint: plain, width: WIDTH },
  emptiness?: Emptiness,
): string {
  const lines = results.flatMap((result, index) => [
    ...resultLines(result, index + 1, view),
    ...(isExplained ? explanation(result) : []),
    '',
  ]);
  const count = `${results.length} of ${totalCount} that pass the threshold.`;
  return [
    ...lines,
    results.length === 0 ? nothingFound(emptiness) : count,
    ...(receiptId === undefined ? [] : [`Recorded as ${receiptId}.`]),
    ...(warnings ?? []).map((warning) => `Note: ${warning}`),
  ].join('\n');
}

function nothingFound(emptiness: Emptiness | undefined): string {
  const nearest = 'A lower --threshold shows what came nearest.';
  if (emptiness === undefined) return `Nothing found. ${nearest}`;
  const { name, userId, hasNothing } = emptiness;
  return hasNothing
    ? `Nothing found in ${name}: the user "${userId}" has no memories there. --user names another one.`
    : `Nothing found for the user "${userId}" in ${name}. ${nearest}`;
}

function resultLines(
  { memory, score, layer }: SearchResult,
  place: number,
  { paint, width }: Pick<View, 'paint' | 'width'>,
): string[] {
  const number = String(place).padStart(3);
  return [
    `${number}. ${paint('bold', score.toFixed(3))}  ${paint('cyan', layer)}  ${paint('dim', memory.id)}`,
    `     ${fitted(oneLine(memory.content), Math.min(width - INDENT, WIDTH))}`,
  ];
}

/** The sum of all of it makes the score: 1 / (1 + exp(-sum)). */
function explanation({ signals, score }: SearchResult): string[] {
  const { evidence = {}, ...values } = signals;
  const parts = Object.entries(evidence) as [keyof Evidence, number][];
  const largest = Math.max(...parts.map(([, added]) => Math.abs(added)), 1e-9);
  const rows = parts.map(([name, added]) => {
    const value = name === 'bias' ? undefined : values[name];
    const bar = '█'.repeat(Math.round((Math.abs(added) / largest) * BAR));
    return `     ${name.padEnd(11)}${(value?.toFixed(3) ?? '').padStart(6)}  ${signed(added)}  ${bar}`.trimEnd();
  });
  const sum = parts.reduce((total, [, added]) => total + added, 0);
  return [...rows, `     ${'sum'.padEnd(11)}${''.padStart(6)}  ${signed(sum)}  → ${score.toFixed(3)}`];
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(2)}`.padStart(6);
}
