/** What the crowds on the map are about: the words that are frequent there and rare elsewhere. */

import type { Point } from '../../components/view-transform.ts';
import type { MapPoint } from './map-points.ts';

/** Its place is the upper end of the crowd. */
export interface MapTopic extends Point {
  readonly text: string;
}

/** The map is 2 wide and 2 high. */
const RADIUS = 0.16;
const CELL = RADIUS / 2;
const MAX_TOPICS = 16;
const FEWEST = 4;
const WORDS = 3;
/** In at least this part of a crowd. */
const SHARE = 0.25;
/** Too short to tell anything. */
const SHORTEST = 4;

export function topicsOf(points: readonly MapPoint[]): MapTopic[] {
  const frequency = countWords(points);
  const left = new Set(points);
  const topics: MapTopic[] = [];
  while (topics.length < MAX_TOPICS) {
    const crowd = densest(left);
    if (crowd.length < FEWEST) break;
    for (const point of crowd) left.delete(point);
    const text = wordsOf(crowd, frequency, points.length);
    const top = crowd.reduce((least, { y }) => Math.min(least, y), Infinity);
    if (text !== '') topics.push({ text, x: middleOf(crowd).x, y: top });
  }
  return topics;
}

/** Those around the fullest cell. */
function densest(points: ReadonlySet<MapPoint>): MapPoint[] {
  const cells = Map.groupBy(points, ({ x, y }) => `${Math.floor(x / CELL)},${Math.floor(y / CELL)}`);
  let best: MapPoint[] = [];
  for (const cell of cells.values()) if (cell.length > best.length) best = cell;
  const { x, y } = middleOf(best);
  return [...points].filter((point) => Math.hypot(point.x - x, point.y - y) < RADIUS);
}

function middleOf(points: readonly MapPoint[]): Point {
  const sum = points.reduce(({ x, y }, point) => ({ x: x + point.x, y: y + point.y }), { x: 0, y: 0 });
  return { x: sum.x / points.length, y: sum.y / points.length };
}

function wordsIn({ label }: MapPoint): Set<string> {
  const words = label.toLocaleLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= SHORTEST));
}

function countWords(points: readonly MapPoint[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const point of points) for (const word of wordsIn(point)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function wordsOf(crowd: readonly MapPoint[], frequency: ReadonlyMap<string, number>, total: number): string {
  return [...countWords(crowd)]
    .filter(([, count]) => count >= Math.max(2, crowd.length * SHARE))
    .map(([word, count]) => ({ word, weight: count * Math.log(total / (frequency.get(word) ?? total)) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, WORDS)
    .map(({ word }) => word)
    .join(' · ');
}
