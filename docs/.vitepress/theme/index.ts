/** VitePress' own theme with the fonts that the reader has, and colours of our own. */

// oxlint-disable-next-line import/no-default-export -- VitePress reads it.
export { default } from 'vitepress/theme-without-fonts';
// oxlint-disable-next-line import/no-unassigned-import -- Styles have nothing to assign.
import './style.css';
