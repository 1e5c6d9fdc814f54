/** The style sheet of the documentation page: quiet, readable, in the colours of the system. */
export const DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fcfcfa; --ink: #24262b; --soft: #666b75; --line: #e3e3de; --block: #f3f3ef; --accent: #2b5f8f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #191b1f; --ink: #dcdee3; --soft: #959ba6; --line: #31353c; --block: #22252a; --accent: #8ab8e6;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.25rem 6rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif;
}
a { color: var(--accent); text-underline-offset: .2em; }
h1 { margin: 0 0 .5rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 3.5rem 0 .25rem; font-size: 1.35rem; }
h3 { margin: 0; font-size: 1.05rem; }
h4 { margin: 1.25rem 0 .4rem; font-size: .85rem; font-weight: 600; color: var(--soft); }
p { margin: .5rem 0; max-width: 42rem; }
code, pre { font: .87em/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { padding: .1em .3em; border-radius: .25em; background: var(--block); }
pre { margin: .4rem 0; padding: .8rem 1rem; overflow-x: auto; border-radius: .5rem; background: var(--block); }
pre code { padding: 0; background: none; font-size: 1em; }
table { width: 100%; border-collapse: collapse; font-size: .93rem; }
th, td { padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; color: var(--soft); }
td:first-child { white-space: nowrap; }
section.operation { margin: 1.75rem 0; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.route { margin: .15rem 0 0; color: var(--soft); }
.route code { background: none; padding: 0; }
.method { display: inline-block; min-width: 4.2em; font-weight: 600; color: var(--accent); }
nav ul { margin: .25rem 0 1rem; padding: 0; list-style: none; }
nav li { margin: .2rem 0; }
nav a { text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
nav strong { font-size: .85rem; color: var(--soft); }
@media (min-width: 58rem) {
  body { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 0 3.5rem; }
  nav { position: sticky; top: 2.5rem; align-self: start; max-height: calc(100vh - 5rem); overflow-y: auto; font-size: .93rem; }
}
@media print { nav { display: none; } body { display: block; } }
`;
