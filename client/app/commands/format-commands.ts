import type { Layout } from "../../../src/core/node/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import { hasFormat } from "../editor/runs-in.ts";
import { factsOf } from "../outline/rows/node-facts.ts";
import { markText } from "../outline/focus/text-mark.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command, CommandTarget } from "./command.ts";
import { formatRanges, rangesOf } from "./format-ranges.ts";
import { keysBesideAltGraph } from "./key-combination.ts";
import { holdFocus, isDone } from "./outcome.ts";

const FORMATS = [
  { name: "b", id: "format.bold", label: "Bold", key: "Mod+B" },
  { name: "i", id: "format.italic", label: "Italic", key: "Mod+I" },
  { name: "s", id: "format.strike", label: "Strike through", key: "Mod+Shift+X" },
  { name: "code", id: "format.code", label: "Code", key: "Mod+E" },
] as const;

const LAYOUTS: readonly {
  readonly layout: Layout;
  readonly id: string;
  readonly label: string;
  readonly words: string;
  readonly digit?: string;
}[] = [
  { layout: "bullets", id: "layout.bullets", label: "Bullet", words: "plain line text" },
  { layout: "todo", id: "layout.todo", label: "To-do", words: "todo task checkbox check" },
  { layout: "h1", id: "layout.h1", label: "Heading 1", words: "title h1", digit: "1" },
  { layout: "h2", id: "layout.h2", label: "Heading 2", words: "title h2", digit: "2" },
  { layout: "h3", id: "layout.h3", label: "Heading 3", words: "title h3", digit: "3" },
  { layout: "code-block", id: "layout.code", label: "Code block", words: "source", digit: "8" },
  { layout: "quote-block", id: "layout.quote", label: "Quote", words: "citation", digit: "9" },
];

export const FORMAT_COMMANDS: readonly Command[] = [
  ...FORMATS.map(({ name, id, label, key }): Command => ({
    id,
    label,
    group: "format",
    keys: [key],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, target) => toggleFormat(workspace, target, name),
  })),
  {
    id: "format.link",
    label: "Link…",
    group: "format",
    words: "address url web",
    keys: ["Mod+Shift+K"],
    places: ["slash"],
    isEnabled: (_, { text }) => text !== undefined,
    run({ replica, dialog }, { keys: [key], text }) {
      const source = key && text && replica.edits.text(key, text.part);
      if (key === undefined || text === undefined || source === undefined) return;
      const { href, ...range } = linkAt(readRichText(source), text.from, text.to) ?? {
        ...text,
        href: "",
      };
      dialog.set({ kind: "link", place: markText(replica, { ...text, ...range, key }), href });
    },
  },
  ...LAYOUTS.map(({ layout, id, label, words, digit }): Command => ({
    id,
    label,
    group: "format",
    words,
    ...(digit !== undefined && keysBesideAltGraph(`code:Digit${digit}`)),
    places: ["slash"],
    isEnabled: (_, target) => target.keys.length > 0,
    run: (workspace, target) => toggleLayout(workspace, target.keys, layout),
  })),
];

/** The layout on all nodes, or bullets when all have it already. */
function toggleLayout(workspace: Workspace, keys: readonly NodeKey[], layout: Layout): void {
  const { outline, edits } = workspace.replica;
  const isThere = keys.every((key) => factsOf(outline, key).layout === layout);
  if (isDone(workspace, edits.layout(keys, isThere ? "bullets" : layout))) holdFocus(workspace);
}

/** A format on the selected text, or off when all of it has it: of whole names when nodes are selected. */
function toggleFormat(
  workspace: Workspace,
  target: CommandTarget,
  name: (typeof FORMATS)[number]["name"],
): void {
  const editor = target.text && workspace.focus.editor();
  // With a caret the editor formats what is typed next.
  if (editor !== undefined) return editor.toggle(name);
  const { edits } = workspace.replica;
  const ranges = rangesOf(workspace, target);
  const isThere = ranges.every(({ key, part, from, to }) => {
    const text = edits.text(key, part);
    return text !== undefined && hasFormat(readRichText(text), from, to, name);
  });
  formatRanges(workspace, ranges, [[name, isThere ? null : true]]);
}

/** The link that a range begins in; a caret in a link means all of it. */
function linkAt(
  text: RichText,
  from: number,
  to: number,
): { readonly href: string; readonly from: number; readonly to: number } | undefined {
  let at = 0;
  for (const { insert, attributes } of text) {
    const start = at;
    at += insert.length;
    const href = attributes?.["a"];
    if (at < from || start > from || typeof href !== "string") continue;
    return from === to ? { href, from: start, to: at } : { href, from, to };
  }
  return undefined;
}
