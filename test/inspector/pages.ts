/** The pages of the inspector, as its sidebar has them. */

export const PAGES = [
  { title: 'Search', key: 's', path: '/inspect/search' },
  { title: 'Browse', key: 'b', path: '/inspect/browse' },
  { title: 'Turn', key: 't', path: '/inspect/turn' },
  { title: 'Agents', key: 'a', path: '/inspect/agents' },
  { title: 'Facts', key: 'f', path: '/inspect/facts' },
  { title: 'Operations', key: 'o', path: '/inspect/operations' },
  { title: 'Map', key: 'm', path: '/inspect/map' },
] as const;
