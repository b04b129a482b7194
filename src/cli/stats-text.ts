/** Counts of memory for people to read. Pure, save for the width of the terminal. */

import type { MemoryGroup, StatsOutput } from '../domain/inspection.ts';
import type { View } from './terminal/view.ts';

const STEPS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

export function statsText(counted: StatsOutput, view: View): string {
  const { of, total, groups, sizes, spaces = [], bytes } = counted;
  const { paint } = view;
  const whose = of === 'tenant' ? 'in the tenant' : 'that you may see';
  const size = bytes === undefined ? '' : `, ${bytesText(bytes)}`;
  const others = Object.entries(sizes).filter(([name, count = 0]) => name !== 'entries' && count > 0);
  return [
    `${paint('bold', numberText(total))} ${total === 1 ? 'memory' : 'memories'} ${whose}${size}`,
    ...(groups.length === 0 ? [] : ['', ...groupTable(groups, view)]),
    ...growthLines(counted, view),
    ...(others.length === 0
      ? []
      : ['', `Besides: ${others.map(([name, count = 0]) => `${wordsOf(name)} ${numberText(count)}`).join(', ')}`]),
    ...spaces.map(({ model, dimensions, count }) => `Vectors of ${model} (${dimensions}): ${numberText(count)}`),
  ].join('\n');
}

function groupTable(groups: readonly MemoryGroup[], view: View): string[] {
  return view.table(groups, [
    { title: 'LAYER', text: ({ layer }) => layer, format: 'cyan' },
    { title: 'KIND', text: ({ kind }) => kind },
    { title: 'STATUS', text: ({ status, isInContext }) => (isInContext ? `${status}, in a context` : status) },
    { title: 'COUNT', text: ({ count }) => numberText(count), align: 'right' },
  ]);
}

function growthLines({ growth }: StatsOutput, { paint, width }: View): string[] {
  const shown = growth.slice(-Math.max(1, width - 24));
  const sum = (name: 'created' | 'deleted'): number => shown.reduce((all, day) => all + day[name], 0);
  if (sum('created') + sum('deleted') === 0) return [];
  const most = Math.max(...shown.map(({ created }) => created), 1);
  const line = shown.map(({ created }) => (created === 0 ? ' ' : stepOf(created / most))).join('');
  const told = `${numberText(sum('created'))} new and ${numberText(sum('deleted'))} deleted in ${shown.length} days`;
  return ['', `${paint('green', line)}  ${told}`];
}

function stepOf(share: number): string {
  return STEPS[Math.min(STEPS.length - 1, Math.floor(share * STEPS.length))] ?? '';
}

function numberText(count: number): string {
  return count.toLocaleString('en');
}

/** `planContexts` as "plan contexts". */
export function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function bytesText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${BYTE_UNITS[power]}`;
}
