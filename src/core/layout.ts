/** The display modes of a node, in the order of the specification. */
export const LAYOUTS = ["bullets", "todo", "h1", "h2", "h3", "code-block", "quote-block"] as const;

export type Layout = (typeof LAYOUTS)[number];

export const DEFAULT_LAYOUT: Layout = "bullets";

export function isLayout(value: unknown): value is Layout {
  return (LAYOUTS as readonly unknown[]).includes(value);
}
