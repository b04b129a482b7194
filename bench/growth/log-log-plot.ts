/** A plot with two logarithmic axes as SVG, in colours that can be read on a light and on a dark background. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** Thinner and dashed, above the others: a bound of what they show. */
  readonly bounds: readonly Point[];
}

export interface Plot {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly xTick: (value: number) => string;
  readonly yTick: (value: number) => string;
  readonly series: readonly Series[];
}

const WIDTH = 890;
const HEIGHT = 500;
const AREA = { left: 70, right: 650, top: 50, bottom: 440 };
const LABEL_HEIGHT = 17;

/** Contrast of at least 3 on white and on near-black; measured by WCAG's formula. */
const COLOURS = ['#2f7ed8', '#c2571a', '#1a8a4f', '#9b59d0', '#b0801a', '#d1387a', '#1b8a96', '#7a7f87', '#7a8a1a'];
const INK = '#7a7f87';
const GRID = 'rgba(128,128,128,0.25)';

/** From a value to a place; a tenfold has the same length everywhere. */
type Scale = (value: number) => number;

function scaleOf(least: number, most: number, from: number, to: number): Scale {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  return (value) => from + ((Math.log10(value) - low) / (high - low || 1)) * (to - from);
}

/** Powers of ten from the one at or below the least to the one at or above the most. */
function decades(values: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped(content)}</text>`;
}

function line(points: readonly Point[], colour: string, attributes: string): string {
  const path = points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return `<polyline points="${path}" fill="none" stroke="${colour}" ${attributes}/>`;
}

/** Places near those wanted, in their order, none over another and none outside. */
export function spread(wanted: readonly number[], distance: number, least: number, most: number): number[] {
  const order = wanted.map((place, index) => ({ place, index })).toSorted((a, b) => a.place - b.place);
  let previous = least - distance;
  for (const item of order) previous = item.place = Math.max(item.place, previous + distance);
  let next = most + distance;
  for (const item of order.toReversed()) next = item.place = Math.min(item.place, next - distance);
  const places = wanted.map(() => 0);
  for (const { place, index } of order) places[index] = place;
  return places;
}

function axes({ title, xTitle, yTitle, xTick, yTick }: Plot, x: Map<number, number>, y: Map<number, number>): string[] {
  const { left, right, top, bottom } = AREA;
  return [
    text(left, 26, title, 'style="font-size:15px;font-weight:600"'),
    text((left + right) / 2, HEIGHT - 16, xTitle, 'text-anchor="middle"'),
    text(0, 0, yTitle, `text-anchor="middle" transform="translate(18 ${(top + bottom) / 2}) rotate(-90)"`),
    ...[...x].flatMap(([value, at]) => [
      `<line x1="${at}" x2="${at}" y1="${top}" y2="${bottom}" stroke="${GRID}"/>`,
      text(at, bottom + 20, xTick(value), 'text-anchor="middle"'),
    ]),
    ...[...y].flatMap(([value, at]) => [
      `<line x1="${left}" x2="${right}" y1="${at}" y2="${at}" stroke="${GRID}"/>`,
      text(left - 8, at + 4, yTick(value), 'text-anchor="end"'),
    ]),
  ];
}

export function logLogPlot(plot: Plot): string {
  const series = plot.series.filter(({ points }) => points.length > 0);
  const all = series.flatMap(({ points, bounds }) => [...points, ...bounds]);
  const { left, right, top, bottom } = AREA;
  const xs = [...new Set(all.map(({ x }) => x))].toSorted((a, b) => a - b);
  const ys = decades(all.map(({ y }) => y));
  const xOf = scaleOf(xs[0] ?? 1, xs.at(-1) ?? 10, left + 10, right - 10);
  const yOf = scaleOf(ys[0] ?? 1, ys.at(-1) ?? 10, bottom, top);
  const place = ({ x, y }: Point): Point => ({ x: xOf(x), y: yOf(y) });
  const ends = series.map(({ points }) => yOf(points.at(-1)?.y ?? 1));
  const labels = spread(ends, LABEL_HEIGHT, top, bottom);
  const drawn = series.flatMap(({ name, points, bounds }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? INK;
    const [end = 0, label = 0] = [ends[index], labels[index]];
    const link = [
      { x: right - 6, y: end },
      { x: right + 12, y: label },
    ];
    return [
      line(bounds.map(place), colour, 'stroke-width="1.2" stroke-dasharray="4 4" stroke-opacity="0.8"'),
      line(points.map(place), colour, 'stroke-width="2.4" stroke-linejoin="round"'),
      ...points
        .map(place)
        .map(({ x, y }) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3.5" fill="${colour}"/>`),
      line(link, colour, 'stroke-width="1" stroke-opacity="0.6"'),
      text(right + 16, label + 4, name, `style="fill:${colour}"`),
    ];
  });
  const places = (values: readonly number[], scale: Scale): Map<number, number> =>
    new Map(values.map((value) => [value, Number(scale(value).toFixed(1))]));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">
<title>${escaped(plot.title)}</title>
<style>text{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:${INK}}</style>
${[...axes(plot, places(xs, xOf), places(ys, yOf)), ...drawn].join('\n')}
</svg>
`;
}
