/** A state machine as a drawing, and as a list for those who do not see it. */

import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { placesOf, type Place, type StateMachine, type Transition } from './state-machine.ts';

const [WIDTH, HEIGHT, GAP_X, PAD] = [118, 34, 92, 14];
/** Between rows: more where ways and their names run there. */
const [NARROW, WIDE] = [26, 60];
const LONGEST = 15;
/** How far above the boxes a way back runs. */
const BACK = 26;
/** Smaller than this it is scrolled instead. */
const LEAST_SCALE = 0.8;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What is kept free above the first row, and between two. */
interface Room {
  readonly top: number;
  readonly gap: number;
}

export function StateMachineView({ machine }: { readonly machine: StateMachine }): VNode {
  const arrow = useId();
  const places = placesOf(machine);
  const all = [...places.values()];
  const columns = Math.max(0, ...all.map(({ column }) => column)) + 1;
  const rows = Math.max(0, ...all.map(({ row }) => row)) + 1;
  const room = roomFor(machine.transitions, places);
  const scroller = useRef<HTMLDivElement>(null);
  const here = machine.current === undefined ? undefined : places.get(machine.current);
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current !== null && here !== undefined)
      current.scrollLeft = cornerOf(here, room).x - (current.clientWidth - WIDTH) / 2;
  }, [here?.column]);
  const width = columns * WIDTH + (columns - 1) * GAP_X + 2 * PAD;
  const height = rows * HEIGHT + (rows - 1) * room.gap + 2 * PAD + room.top;
  return (
    <>
      <div class="table-scroll" ref={scroller} tabIndex={0} role="group" aria-label="State machine">
        <svg
          class="machine"
          width={width}
          style={{ minWidth: `${width * LEAST_SCALE}px` }}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`State machine, now in ${machine.current ?? 'no state'}`}
        >
          <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path class="machine-arrow" d="M0 0.500 7.500 4 0 7.500z" />
          </marker>
          {machine.transitions.map((transition, at) => (
            <Edge transition={transition} places={places} room={room} arrow={arrow} key={at} />
          ))}
          {machine.states.map(({ name, isFinal }) => {
            const place = places.get(name);
            return place === undefined ? null : (
              <State
                name={name}
                isFinal={isFinal}
                isCurrent={name === machine.current}
                at={cornerOf(place, room)}
                key={name}
              />
            );
          })}
        </svg>
      </div>
      <ul class="visually-hidden" aria-label="Transitions">
        {machine.transitions.map(({ from, to, event }, at) => (
          <li key={at}>
            {from} to {to} {event === '' ? '' : `on ${event}`}
          </li>
        ))}
      </ul>
    </>
  );
}

function roomFor(transitions: readonly Transition[], places: ReadonlyMap<string, Place>): Room {
  const backs = transitions.filter((one) => isBack(one, places));
  const isBusy = transitions.some((one) => {
    const [from, to] = [places.get(one.from), places.get(one.to)];
    const isUpright = from?.column === to?.column && from?.row !== to?.row;
    return isUpright || (isBack(one, places) && (from?.row !== 0 || to?.row !== 0));
  });
  return { top: backs.length > 0 ? BACK : 0, gap: isBusy ? WIDE : NARROW };
}

function cornerOf({ column, row }: Place, { top, gap }: Room): Point {
  return { x: PAD + column * (WIDTH + GAP_X), y: top + PAD + row * (HEIGHT + gap) };
}

function isBack({ from, to }: Transition, places: ReadonlyMap<string, Place>): boolean {
  return from === to || (places.get(to)?.column ?? 0) < (places.get(from)?.column ?? 0);
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

interface StateProps {
  readonly name: string;
  readonly isFinal: boolean;
  readonly isCurrent: boolean;
  readonly at: Point;
}

function State({ name, isFinal, isCurrent, at: { x, y } }: StateProps): VNode {
  return (
    <g class={isCurrent ? 'machine-state is-current' : 'machine-state'}>
      <title>{`${name}${isCurrent ? ', now' : ''}${isFinal ? ', an end' : ''}`}</title>
      <rect x={x} y={y} width={WIDTH} height={HEIGHT} rx="8" />
      {isFinal && <rect x={x + 3} y={y + 3} width={WIDTH - 6} height={HEIGHT - 6} rx="6" />}
      <text x={x + WIDTH / 2} y={y + HEIGHT / 2 + 4} text-anchor="middle">
        {shortened(name, LONGEST)}
      </text>
    </g>
  );
}

interface EdgeProps {
  readonly transition: Transition;
  readonly places: ReadonlyMap<string, Place>;
  readonly room: Room;
  readonly arrow: string;
}

function Edge({ transition, places, room, arrow }: EdgeProps): VNode | null {
  const [from, to] = [places.get(transition.from), places.get(transition.to)];
  if (from === undefined || to === undefined) return null;
  const { path, label } = lineOf(cornerOf(from, room), cornerOf(to, room), isBack(transition, places));
  return (
    <g class="machine-edge">
      <title>{`${transition.from} → ${transition.to}${transition.event === '' ? '' : ` on ${transition.event}`}`}</title>
      <path d={path} marker-end={`url(#${arrow})`} />
      {transition.event !== '' && (
        <text x={label.x} y={label.y} text-anchor={label.anchor ?? 'middle'}>
          {shortened(transition.event, LONGEST)}
        </text>
      )}
    </g>
  );
}

interface Line {
  readonly path: string;
  readonly label: Point & { readonly anchor?: 'end' | 'start' };
}

/** Forward from side to side, back over the boxes of a row or through the gap before them, within a column straight. */
function lineOf(from: Point, to: Point, back: boolean): Line {
  if (back && from.y === to.y) {
    const [startX, endX, high] = [from.x + WIDTH / 2 - 12, to.x + WIDTH / 2 + 12, from.y - BACK];
    const path = `M${startX} ${from.y} C${startX} ${high}, ${endX} ${high}, ${endX} ${to.y - 1}`;
    return { path, label: { x: (startX + endX) / 2, y: high + 9 } };
  }
  if (back) {
    const [startY, endX] = [from.y + HEIGHT * 0.75, to.x + WIDTH / 2];
    const isUp = to.y < from.y;
    const [endY, bend] = isUp ? [to.y + HEIGHT + 1, BACK] : [to.y - 1, -BACK];
    const path = `M${from.x} ${startY} C${from.x - GAP_X} ${startY}, ${endX} ${endY + bend}, ${endX} ${endY}`;
    return { path, label: { x: from.x - GAP_X, y: startY + 14 } };
  }
  if (from.x === to.x) {
    const isDown = to.y > from.y;
    const [startY, endY] = isDown ? [from.y + HEIGHT, to.y] : [from.y, to.y + HEIGHT];
    const x = from.x + WIDTH / 2 + (isDown ? -14 : 14);
    const label = isDown
      ? { x: x - 6, y: startY + 16, anchor: 'end' as const }
      : { x: x + 6, y: endY + 16, anchor: 'start' as const };
    return { path: `M${x} ${startY} L${x} ${endY}`, label };
  }
  const [start, end] = [
    { x: from.x + WIDTH, y: from.y + HEIGHT / 2 },
    { x: to.x, y: to.y + HEIGHT / 2 },
  ];
  const middle = (start.x + end.x) / 2;
  const path = `M${start.x} ${start.y} C${middle} ${start.y}, ${middle} ${end.y}, ${end.x - 1} ${end.y}`;
  return { path, label: { x: middle, y: end.y === start.y ? start.y - 6 : end.y - 6 } };
}
