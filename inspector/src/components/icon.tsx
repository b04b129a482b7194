/** Icons: lines on a grid of 24, in the colour of the text around them. Always beside a text or a label. */

import type { VNode } from 'preact';

const PATHS = {
  agents:
    'M12 3v3M7 6h10a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2zM9.500 10.500v2M14.500 10.500v2M8 21h8M2 11v2M22 11v2',
  archive: 'M3 5h18v4H3zM5 9v10h14V9M10 13h4',
  check: 'm5 13 4 4L19 7',
  close: 'M6 6l12 12M18 6 6 18',
  compare: 'M12 3v18M4 7h5M4 12h5M4 17h5M15 7h5M15 12h5M15 17h5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  edit: 'm4 20 1-4L16 5l3 3L8 19zM14 7l3 3',
  filter: 'M4 6h16M7 12h10M10 18h4',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  graph:
    'M6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 6.500l8 1.200M7 8l1.600 8M10.500 16.700l6-7',
  help: 'M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  key: 'M14 10a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM13 12.500 20 19l-2 2M16.500 16 15 17.500',
  lasso:
    'M7 15c-2.500-1-4-2.700-4-5 0-3.500 4-6 9-6s9 2.500 9 6-4 6-9 6c-1.700 0-3.300-.3-4.600-.8M8 17.500a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM7 19.300c0 1.200-.6 2-1.500 2.700',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  map: 'M5 17h.01M8 12h.01M6 7h.01M11 16h.01M13 9h.01M17 6h.01M16 13h.01M19 17h.01M11 5h.01M20 10h.01',
  message: 'M4 5h16v11H10l-5 4v-4H4zM8 9h8M8 12h5',
  minus: 'M5 12h14',
  moon: 'M20 14.500A8 8 0 0 1 9.500 4a8 8 0 1 0 10.500 10.500z',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  plus: 'M12 5v14M5 12h14',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  restore: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16.500 16.500 21 21',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M4.500 4.500 6 6M18 18l1.500 1.500M2 12h2M20 12h2M4.500 19.500 6 18M18 6l1.500-1.500',
  system: 'M3 5h18v11H3zM9 20h6M12 16v4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.500-6 8-6s8 2 8 6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
