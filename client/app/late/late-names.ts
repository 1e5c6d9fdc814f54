import type { Layout } from "../../../src/core/node/layout.ts";
import { cleanText, tabsOfName } from "../../../src/core/text/clean-text.ts";
import type * as Names from "../../../src/core/text/name.ts";

let read: typeof Names | undefined;

/**
 * Fetches the reader of markdown, which weighs as much as a quarter of the app. Whoever makes a line of
 * what a person wrote as markdown awaits this first; what is typed into a line needs none.
 */
export async function loadMarkdown(): Promise<void> {
  read ??= await import("../../../src/core/text/name.ts");
}

/** Stands in for that of `name.ts`. Until that is loaded a name is the text that is written. */
export function draftsOfName(
  name: string,
  layout: Layout | undefined,
): ReturnType<typeof Names.draftsOfName> {
  return read?.draftsOfName(name, layout) ?? [literal(name, layout)];
}

/** The same. */
export function* updatedNameInSteps(
  name: string,
  currentLayout: Layout,
  explicit: Layout | undefined,
): ReturnType<typeof Names.updatedNameInSteps> {
  if (read === undefined) return literal(name, explicit);
  return yield* read.updatedNameInSteps(name, currentLayout, explicit);
}

function literal(name: string, layout: Layout | undefined): Names.NameDraft {
  const text = cleanText(name, layout && tabsOfName(layout)).trim();
  const draft = { text: text === "" ? [] : [{ insert: text }] };
  return layout === undefined ? draft : { ...draft, layout };
}
