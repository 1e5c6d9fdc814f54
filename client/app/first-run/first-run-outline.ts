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

/**
 * The outline that a person finds on the first day: each line teaches by being done. Its nodes have
 * fixed keys, so that two devices which both meet an empty outline make the same nodes once.
 */
export function firstRunOutline(keys: FirstRunKeys): readonly OutlineEntry[] {
  const lines: readonly Line[] = [
    [
      "<b>Welcome.</b> This is a list that goes as deep as your thoughts",
      {
        note: "You can change or delete every line here. Nothing is lost: deleted lines wait in the trash.",
      },
    ],
    ["\tPut the caret at the end of this line and press Enter"],
    [`\tNow press ${keys.indent}: the new line goes below the one before it`],
    ["\tClick the dot before any line to look at nothing but that"],
    [`\t\tOr press ${keys.zoomIn}; ${keys.zoomOut} leads back, and so does the path above`],
    ["\tThe small arrow left of a dot folds what is below a line", {}],
    ["\t\tLike this"],
    ["<b>Try it</b>"],
    [`\tComplete this: press ${keys.complete}`, { layout: "todo" }],
    [
      "\tType <code>**bold**</code>, <code>`code`</code> or a #tag, and click the tag",
      { layout: "todo" },
    ],
    ["\tType a slash at the end of a line to see what a line can be", { layout: "todo" }],
    ["\tDrag a line by its dot to another place", { layout: "todo" }],
    [`\tPress ${keys.jump} and type “try” to jump back here from anywhere`, { layout: "todo" }],
    [
      "\tSwitch off the network and go on writing: the status at the top tells what is safe",
      {
        layout: "todo",
      },
    ],
    [`All keys are on the help page: ${keys.help}`],
  ];
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
