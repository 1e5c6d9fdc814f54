/** The colours of letters (`c-red`) and of what is behind them (`bc-red`). */
export const COLOURS = [
  "red",
  "orange",
  "yellow",
  "green",
  "teal",
  "sky",
  "blue",
  "purple",
  "pink",
  "gray",
  "brown",
] as const;

export function isColour(text: string): boolean {
  return (COLOURS as readonly string[]).includes(text);
}

const ALLOWED: ReadonlySet<string> = new Set([
  "colored",
  ...COLOURS.flatMap((colour) => [`c-${colour}`, `bc-${colour}`]),
]);
const TOKEN = /^[A-Za-z0-9_-]+$/;

/**
 * What stays of a class list: `colored` and the names of colours, each once. Undefined when `colored`
 * is not among them, or something that is no plain word. So nobody's text reaches a class that means
 * something to a page.
 */
export function coloredClass(classes: string): string | undefined {
  const kept = new Set<string>();
  for (const token of classes.split(/[ \n]+/)) {
    if (ALLOWED.has(token)) kept.add(token);
    else if (token !== "" && !TOKEN.test(token)) return undefined;
  }
  return kept.has("colored") ? [...kept].join(" ") : undefined;
}
