/** The display modes of a node, in the order of the specification. */
export const LAYOUTS = ["bullets", "todo", "h1", "h2", "h3", "code-block", "quote-block"] as const;

export type ShownLayout = (typeof LAYOUTS)[number];

/** One of the display modes, or a word of another program, which is kept and shown as the default. */
export type Layout = ShownLayout | (string & { readonly brand: "Layout" });

export const DEFAULT_LAYOUT = "bullets";

/** What may be kept as a layout; `default` is the word for none. */
export const LAYOUT_WORD = /^[A-Za-z0-9-]{1,32}$/;
export const NO_LAYOUT = "default";

export function isLayout(value: unknown): value is Layout {
  return typeof value === "string" && value !== NO_LAYOUT && LAYOUT_WORD.test(value);
}

/** The display mode in which a node of this layout is shown. */
export function shownLayout(layout: Layout): ShownLayout {
  return LAYOUTS.find((shown) => shown === layout) ?? DEFAULT_LAYOUT;
}
