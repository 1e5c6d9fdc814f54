import { readRichText } from "../../../src/core/text/y-text.ts";
import { runsIn } from "../editor/runs-in.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command, CommandTarget } from "./command.ts";
import { formatRanges, rangesOf } from "./format-ranges.ts";

/** The colours that are offered; the names are those that texts are stored with. */
export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "gray"] as const;
export type Colour = (typeof COLOURS)[number];

/** Letters in a colour, or a colour behind them. */
export type ColourKind = (typeof COLOUR_KINDS)[number]["kind"];

export const COLOUR_KINDS = [
  { kind: "span", id: "colour", label: "letters" },
  { kind: "mark", id: "highlight", label: "highlight" },
] as const;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The colour in the value of a format; undefined for none of those that are offered. */
export function colourOf(kind: ColourKind, value: unknown): Colour | undefined {
  const prefix = kind === "span" ? "c-" : "bc-";
  const words = typeof value === "string" ? value.split(" ") : [];
  return COLOURS.find((colour) => words.includes(prefix + colour));
}

/** What the format of a colour is stored with. */
export function valueOfColour(kind: ColourKind, colour: Colour): string {
  return `colored ${kind === "span" ? "c" : "bc"}-${colour}`;
}

export const COLOUR_COMMANDS: readonly Command[] = [
  {
    id: "format.highlight",
    label: "Highlight",
    group: "format",
    words: "mark marker yellow colour color background",
    keys: ["Mod+Shift+H"],
    places: ["slash"],
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, target) => toggleColour(workspace, target, "mark", "yellow"),
  },
  ...COLOUR_KINDS.flatMap(({ kind, id, label }) =>
    COLOURS.map((colour): Command => ({
      id: `format.${id}.${colour}`,
      label: `${capital(colour)} ${label}`,
      group: "format",
      words: "colour color text mark background",
      isEnabled: (_, { keys }) => keys.length > 0,
      run: (workspace, target) => toggleColour(workspace, target, kind, colour),
    })),
  ),
  {
    id: "format.noColour",
    label: "No colour",
    group: "format",
    words: "color remove clear highlight plain",
    isEnabled: (_, { keys }) => keys.length > 0,
    run: (workspace, target) =>
      formatRanges(workspace, rangesOf(workspace, target), [
        ["span", null],
        ["mark", null],
      ]),
  },
];

/** A colour on the selected text or whole names; off when all of it has just that. */
export function toggleColour(
  workspace: Workspace,
  target: CommandTarget,
  kind: ColourKind,
  colour: Colour,
): void {
  const ranges = rangesOf(workspace, target);
  const isThere = ranges.every(({ key, part, from, to }) => {
    const text = workspace.replica.edits.text(key, part);
    const runs = text === undefined ? [] : runsIn(readRichText(text), from, to);
    return runs.every(({ attributes }) => colourOf(kind, attributes?.[kind]) === colour);
  });
  formatRanges(workspace, ranges, [[kind, isThere ? null : valueOfColour(kind, colour)]]);
}
