/** The site: `npm run docs:site` builds it into docs/.vitepress/dist. A link to nothing fails the build. */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { contentsOf, NAVIGATION } from './contents.ts';
import { headingSlug } from './heading-slug.ts';
import { hiddenComments } from './hidden-comments.ts';
import { leavingLinks } from './leaving-links.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

// oxlint-disable-next-line import/no-default-export -- VitePress reads it.
export default defineConfig({
  title: 'Lamina',
  description: 'Layered memory for AI agents',
  lang: 'en',
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
    ['meta', { name: 'theme-color', content: '#0f766e' }],
  ],
  markdown: {
    anchor: { slugify: headingSlug },
    theme: { light: 'github-light', dark: 'github-dark' },
    config: (markdown) => {
      hiddenComments(markdown);
      leavingLinks(markdown);
    },
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: NAVIGATION,
    sidebar: contentsOf(folder),
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    footer: { message: 'Apache-2.0' },
  },
});
