import type { NodeKey } from "../../../src/core/node-key.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

/** How the keys of this machine are written: those of the commands that the outline names. */
export interface FirstRunKeys {
  readonly indent: string;
  readonly complete: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly jump: string;
  readonly help: string;
}

/** A line with its depth in tabs. */
type Line = readonly [name: string, more?: Partial<Omit<OutlineEntry, "depth" | "name" | "key">>];

const WELCOME: Line = [
  "<b>Welcome.</b> This is a list that goes as deep as your thoughts",
  {
    note: "You can change or delete every line here. Nothing is lost: deleted lines wait in the trash.",
  },
];
const TODO = { layout: "todo" } as const;
const MARKDOWN: Line = [
  "\tType <code>**bold**</code>, <code>`code`</code> or a #tag, and click the tag",
  TODO,
];
const SLASH: Line = ["\tType a slash at the end of a line to see what a line can be", TODO];
const OFFLINE: Line = [
  "\tSwitch off the network and go on writing: the status at the top tells what is safe",
  TODO,
];

/** For who has a keyboard. */
function linesWithKeys(keys: FirstRunKeys): readonly Line[] {
  return [
    WELCOME,
    ["\tPut the caret at the end of this line and press Enter"],
    [`\tNow press ${keys.indent}: the new line goes below the one before it`],
    ["\tClick the dot before any line to look at nothing but that"],
    [`\t\tOr press ${keys.zoomIn}; ${keys.zoomOut} leads back, and so does the path above`],
    ["\tThe small arrow left of a dot folds what is below a line"],
    ["\t\tLike this"],
    ["<b>Try it</b>"],
    [`\tComplete this: press ${keys.complete}`, TODO],
    MARKDOWN,
    SLASH,
    ["\tDrag a line by its dot to another place", TODO],
    [`\tPress ${keys.jump} and type “try” to jump back here from anywhere`, TODO],
    OFFLINE,
    [`All keys are on the help page: ${keys.help}`],
  ];
}

/** For who has a finger. Line for line the same lessons: two devices may both plant them. */
const LINES_BY_TOUCH: readonly Line[] = [
  WELCOME,
  ["\tTap at the end of this line, and make the next one with Enter"],
  ["\tSwipe that line to the right: it goes below the one before it. To the left it comes back"],
  ["\tTap the dot before any line to look at nothing but that"],
  ["\t\tThe path at the top leads back"],
  ["\tThe small arrow at the end of a line folds what is below it"],
  ["\t\tLike this"],
  ["<b>Try it</b>"],
  ["\tComplete this: tap the box, or swipe the line far to the right", TODO],
  MARKDOWN,
  SLASH,
  ["\tHold the dot of a line until you feel it, and drag the line to another place", TODO],
  ["\tHold a dot without dragging for its menu: there you can select several lines", TODO],
  OFFLINE,
  ["The round + puts a thought into the inbox, from wherever you are"],
];

/**
 * The outline that a person finds on the first day: each line teaches by being done. Its nodes have
 * fixed keys, so that two devices which both meet an empty outline make the same nodes once.
 * @param keys those of the machine; undefined where it is used by touch
 */
export function firstRunOutline(keys: FirstRunKeys | undefined): readonly OutlineEntry[] {
  const lines = keys === undefined ? LINES_BY_TOUCH : linesWithKeys(keys);
  return lines.map(([text, more], index) => {
    const name = text.replace(/^\t+/, "");
    const entry = { depth: text.length - name.length, name, layout: "bullets" as const };
    return { ...entry, ...more, key: keyOfLine(index) };
  });
}

/** Ordinary keys that no random one is likely to be: they spell what they are. */
function keyOfLine(index: number): NodeKey {
  return `f1257a${index.toString(16).padStart(6, "0")}` as NodeKey;
}
