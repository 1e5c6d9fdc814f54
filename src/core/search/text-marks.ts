import * as Y from "yjs";
import type { NodeKey } from "../node-key.ts";
import { notesOf } from "../schema.ts";
import { coloredClass } from "../text/colored-class.ts";
import { nodeOfHref } from "../text/node-link.ts";
import { readRichText } from "../text/y-text.ts";
import { firstItem } from "../yjs/inside.ts";

/** What the formats of a node's name and notes say, each once. */
export interface TextMarks {
  /** The nodes that links lead to. */
  readonly links: ReadonlySet<NodeKey>;
  /** As in the format `d`. */
  readonly dates: ReadonlySet<string>;
  /** Of letters or of what is behind them; `""` for a bare highlight. */
  readonly colours: ReadonlySet<string>;
  /** Whether there is a link to anywhere. */
  readonly hasLink: boolean;
}

const NONE: ReadonlySet<never> = new Set<never>();
export const NO_MARKS: TextMarks = { links: NONE, dates: NONE, colours: NONE, hasLink: false };

/** Reads the marks of a node; costs what its texts have items, and little where none is marked. */
export function marksOfNode(text: Y.Text): TextMarks {
  let marks: Reading | undefined;
  for (const part of [text, ...notesOf(text)]) {
    if (!isMarked(part)) continue;
    // Read as it is shown: a mark may be left that has nothing in it any more.
    for (const { attributes = {} } of readRichText(part)) {
      for (const [format, value] of Object.entries(attributes)) {
        if (typeof value === "string") (marks ??= new Reading()).take(format, value);
      }
    }
  }
  return marks ?? NO_MARKS;
}

function isMarked(text: Y.Text): boolean {
  for (let item = firstItem(text); item !== null; item = item.right) {
    if (!item.deleted && item.content instanceof Y.ContentFormat) return true;
  }
  return false;
}

class Reading implements TextMarks {
  readonly links = new Set<NodeKey>();
  readonly dates = new Set<string>();
  readonly colours = new Set<string>();
  hasLink = false;

  take(format: string, value: string): void {
    switch (format) {
      case "a": {
        this.hasLink = true;
        const target = nodeOfHref(value);
        if (target !== undefined) this.links.add(target);
        break;
      }
      case "d":
        this.dates.add(value);
        break;
      case "mark":
      case "span":
        for (const token of (coloredClass(value) ?? "").split(" ")) {
          if (token !== "colored" && (token !== "" || format === "mark"))
            this.colours.add(token.replace(/^b?c-/, ""));
        }
    }
  }
}
