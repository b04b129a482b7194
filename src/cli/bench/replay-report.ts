/** What moved over all receipts of a replay: for machines, and as text for people. */

import type { RecallConfiguration } from '../../domain/recall-receipt.ts';
import type { Evidence } from '../../domain/recall.ts';
import { mean, type Comparison, type Hits, type Movement } from './replay-comparison.ts';

export interface ReplaySummary {
  readonly receipts: number;
  /** With the same first results in the same order. */
  readonly unchanged: number;
  readonly overlap: number;
  readonly rankShift: number;
  readonly cameIn: number;
  readonly wentOut: number;
  readonly gone: number;
  readonly new: number;
  /** Null where no receipt is marked. */
  readonly marked: { readonly receipts: number; readonly before: Hits; readonly after: Hits } | null;
}

export interface ReplayReport {
  readonly k: number;
  /** Of the latest receipt, and of the replay. */
  readonly before: RecallConfiguration;
  readonly after: RecallConfiguration;
  readonly summary: ReplaySummary;
  readonly comparisons: readonly Comparison[];
}

/** Searches that are shown in full, those first in which the most moved; the others are in the JSON. */
const SHOWN = 10;
/** Signals that are shown of a result: those that differ the most. */
const SHOWN_SIGNALS = 3;
const QUERY_WIDTH = 72;

export function summaryOf(comparisons: readonly Comparison[]): ReplaySummary {
  const total = (count: (comparison: Comparison) => number): number =>
    comparisons.reduce((sum, comparison) => sum + count(comparison), 0);
  const marked = comparisons.flatMap((comparison) => comparison.marked ?? []);
  const hits = (side: 'before' | 'after'): Hits => ({
    recall: mean(marked.map((each) => each[side].recall)),
    reciprocalRank: mean(marked.map((each) => each[side].reciprocalRank)),
  });
  return {
    receipts: comparisons.length,
    unchanged: comparisons.filter(isUnchanged).length,
    overlap: mean(comparisons.map(({ overlap }) => overlap)),
    rankShift: mean(comparisons.flatMap(({ rankShift }) => rankShift ?? [])),
    cameIn: total(({ cameIn }) => cameIn.length),
    wentOut: total(({ wentOut }) => wentOut.length),
    gone: total(({ goneIds }) => goneIds.length),
    new: total(({ newIds }) => newIds.length),
    marked: marked.length === 0 ? null : { receipts: marked.length, before: hits('before'), after: hits('after') },
  };
}

function isUnchanged({ cameIn, wentOut, moved }: Comparison): boolean {
  return cameIn.length + wentOut.length + moved.length === 0;
}

export function replayText({ k, before, after, summary, comparisons }: ReplayReport): string {
  const changed = comparisons
    .filter((comparison) => !isUnchanged(comparison))
    .toSorted((a, b) => a.overlap - b.overlap || (b.rankShift ?? 0) - (a.rankShift ?? 0));
  const left = changed.length - SHOWN;
  return [
    ...differences(before, after),
    '',
    ...summaryLines(summary, k),
    ...changed.slice(0, SHOWN).flatMap((comparison) => ['', ...comparisonLines(comparison, k)]),
    ...(left > 0 ? ['', `… and ${left} more searches in which something moved: --json tells them all.`] : []),
    '',
  ].join('\n');
}

function differences(before: RecallConfiguration, after: RecallConfiguration): string[] {
  const lines = (Object.keys(after) as (keyof RecallConfiguration)[]).flatMap((name) => {
    const [then, now] = [JSON.stringify(before[name]), JSON.stringify(after[name])];
    return then === now ? [] : [`  ${name}: ${then} → ${now}`];
  });
  return lines.length === 0
    ? ['By the same configuration as recorded.']
    : ['Configuration, as recorded → now', ...lines];
}

function summaryLines(summary: ReplaySummary, k: number): string[] {
  const { receipts, unchanged, overlap, rankShift, cameIn, wentOut, gone, marked } = summary;
  const row = (name: string, value: string): string => `  ${name.padEnd(28)}${value}`;
  const change = (name: string, field: keyof Hits): string[] =>
    marked === null ? [] : [row(name, `${marked.before[field].toFixed(3)} → ${marked.after[field].toFixed(3)}`)];
  return [
    row('searches', `${receipts}, of which ${unchanged} answer as before`),
    row(`overlap@${k}`, overlap.toFixed(3)),
    row('mean rank shift', rankShift.toFixed(2)),
    row('results that came in', String(cameIn)),
    row('results that went out', String(wentOut)),
    row('not compared', `${gone} gone since, ${summary.new} new since`),
    ...change(`recall@${k} of what is marked`, 'recall'),
    ...change('mean reciprocal rank of it', 'reciprocalRank'),
    ...(marked === null ? [] : [row('marked searches', String(marked.receipts))]),
  ];
}

function comparisonLines({ query, overlap, cameIn, wentOut, moved }: Comparison, k: number): string[] {
  const shown = query.length > QUERY_WIDTH ? `${[...query].slice(0, QUERY_WIDTH).join('')}…` : query;
  return [
    `${JSON.stringify(shown)}  overlap@${k} ${overlap.toFixed(2)}`,
    ...cameIn.map((movement) => movementLine('+', movement)),
    ...wentOut.map((movement) => movementLine('-', movement)),
    ...moved.map((movement) => movementLine('~', movement)),
  ];
}

function movementLine(sign: string, { memoryId, before, after }: Movement): string {
  const place = (of: Movement['before']): string => (of?.place ?? '–').toString();
  const score = (of: Movement['before']): string => of?.score.toFixed(3) ?? '–';
  const places = `${place(before)} → ${place(after)}`;
  const scores = `${score(before)} → ${score(after)}`;
  return `  ${sign} ${memoryId}  ${places.padEnd(10)}${scores}  ${signalsLine(before, after)}`.trimEnd();
}

/** What each signal adds to the evidence, before and after. */
function signalsLine(before: Movement['before'], after: Movement['after']): string {
  const [then, now]: [Evidence, Evidence] = [before?.signals.evidence ?? {}, after?.signals.evidence ?? {}];
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])] as (keyof Evidence)[];
  return names
    .map((name) => [name, then[name] ?? 0, now[name] ?? 0] as const)
    .filter(([, old, current]) => before !== null && after !== null && old !== current)
    .toSorted(([, a, b], [, c, d]) => Math.abs(d - c) - Math.abs(b - a))
    .slice(0, SHOWN_SIGNALS)
    .map(([name, old, current]) => `${name} ${old.toFixed(2)}→${current.toFixed(2)}`)
    .join(', ');
}
