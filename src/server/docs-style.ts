/** How the documentation page looks, light and dark. */

export const DOCS_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #e4e7eb); --soft: light-dark(#57606a, #9aa4af);
  --ground: light-dark(#fff, #14171a); --panel: light-dark(#f4f6f8, #1e2328); --line: light-dark(#d9dee3, #333b43);
  --accent: light-dark(#0b5cad, #7db8f5); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr); color: var(--text); background: var(--ground);
  font: 16px/1.55 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; background: var(--panel);
  border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li a { display: block; padding: .2rem 0; }
nav p { margin: 0 0 .25rem; color: var(--soft); }
main { padding: 1.5rem 2.5rem 6rem; max-width: 62rem; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
h1 small { color: var(--soft); font-weight: 400; font-size: 1rem; }
section { border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2rem; }
h2 { margin: 0 0 .5rem; font-size: 1.35rem; }
h3 { margin: 1.25rem 0 .4rem; font-size: 1rem; }
.method { color: var(--accent); font: 600 .8rem ui-monospace, monospace; }
.route code { font-size: 1rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .85rem; }
code { background: var(--panel); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow: auto;
  max-height: 24rem; }
pre code { background: none; padding: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
em { color: var(--soft); font-size: .8rem; }
@media (max-width: 48rem) { body { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; border: 0; }
  main { padding: 1rem 1rem 4rem; } }
`;
