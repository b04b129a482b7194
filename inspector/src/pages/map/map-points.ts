/** The points of the map: what colours them, which are shown, which lie in an area. */

import type { MapPoints } from '../../../../src/domain/inspection.ts';
import { KINDS, type Kind } from '../../../../src/domain/kind.ts';
import { LAYERS, type Layer } from '../../../../src/domain/scope.ts';
import type { Point } from '../../components/view-transform.ts';

export interface MapPoint extends Point {
  readonly id: string;
  readonly layer: Layer;
  readonly kind: Kind;
  readonly createdAt: string;
  readonly label: string;
  /** In words, to be shown and to be coloured by. */
  readonly age: Age;
}

export const COLOURINGS = ['layer', 'kind', 'age'] as const;
export type Colouring = (typeof COLOURINGS)[number];

export const AGES = ['last day', 'last week', 'last month', 'last year', 'older'] as const;
export type Age = (typeof AGES)[number];

const MS_PER_DAY = 86_400_000;
const AGE_DAYS = [1, 7, 30, 365];

/** In the order of the legend. */
export const GROUPS: Readonly<Record<Colouring, readonly string[]>> = { layer: LAYERS, kind: KINDS, age: AGES };

export function groupOf(point: MapPoint, colouring: Colouring): string {
  return point[colouring];
}

/** The colour of a group, as the stylesheet names it. */
export function tokenOf(colouring: Colouring, group: string): string {
  return colouring === 'age' ? `--age-${AGES.findIndex((age) => age === group)}` : `--${colouring}-${group}`;
}

export function pointsOf({ ids, x, y, layers, kinds, createdAt, labels }: MapPoints, now: number): MapPoint[] {
  return ids.map((id, at) => ({
    id,
    x: x[at] ?? 0,
    // Upwards on the map is downwards on a canvas.
    y: -(y[at] ?? 0),
    layer: layers[at] ?? 'user',
    kind: kinds[at] ?? 'semantic',
    createdAt: createdAt[at] ?? '',
    label: labels[at] ?? '',
    age: ageOf(Date.parse(createdAt[at] ?? ''), now),
  }));
}

function ageOf(createdAt: number, now: number): Age {
  const days = (now - createdAt) / MS_PER_DAY;
  return AGES[AGE_DAYS.findIndex((limit) => days < limit)] ?? 'older';
}

export type Area = readonly Point[];

const MAX_CORNERS = 48;
const PRECISION = 1000;

/** An area as it stands in the address: `x,y;x,y;…` with so many corners as are worth it. */
export function writtenArea(area: Area): string | undefined {
  if (area.length < 3) return undefined;
  const every = Math.max(1, Math.ceil(area.length / MAX_CORNERS));
  return area
    .filter((_, at) => at % every === 0)
    .map(({ x, y }) => `${Math.round(x * PRECISION) / PRECISION},${Math.round(y * PRECISION) / PRECISION}`)
    .join(';');
}

/** Undefined where there is none, or it cannot be read. */
export function readArea(text: string): Area | undefined {
  const corners = text.split(';').map((corner) => {
    const [x = Number.NaN, y = Number.NaN] = corner.split(',').map(Number);
    return { x, y };
  });
  const isWhole = corners.length >= 3 && corners.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  return isWhole ? corners : undefined;
}

/** By how often a line from the point to the right crosses the border. */
export function isInside(area: Area, { x, y }: Point): boolean {
  let inside = false;
  let before = area.at(-1);
  for (const corner of area) {
    if (before !== undefined && corner.y > y !== before.y > y) {
      const crossing = corner.x + ((y - corner.y) * (before.x - corner.x)) / (before.y - corner.y);
      if (x < crossing) inside = !inside;
    }
    before = corner;
  }
  return inside;
}
