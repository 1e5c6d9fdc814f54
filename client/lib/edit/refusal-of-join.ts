import type * as Y from "yjs";
import type { FormatCounts } from "../../../src/core/updates/format-counts.ts";
import { isReservedKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { INVALID_PARENT, NOT_FOUND } from "../../../src/core/refusal.ts";
import { marksOf, MAX_MARKS, MAX_TEXT_LENGTH } from "../../../src/core/text/text-limits.ts";
import type { EditRefusal, TextPart } from "./edits.ts";
import { TEXT_TOO_LONG } from "./text-too-long.ts";

/** Where two nodes are to be joined. */
export interface Joining {
  readonly outline: Outline;
  readonly counts: FormatCounts;
  /** As it is edited; undefined when there is none, or the node is not visible. */
  readonly text: (key: NodeKey, part: TextPart) => Y.Text | undefined;
}

/** Why a node can't be joined to another; undefined when it can. */
export function refusalOfJoin(
  joining: Joining,
  key: NodeKey,
  into: NodeKey,
): EditRefusal | undefined {
  const { outline, text } = joining;
  const [name, target] = [text(key, "name"), text(into, "name")];
  if (name === undefined || target === undefined) return NOT_FOUND;
  if (key === into || outline.contains(key, into)) return INVALID_PARENT;
  if (isReservedKey(key) || (isReservedKey(into) && name.length > 0)) {
    return { kind: "system_node" };
  }
  if ([key, into].some((each) => outline.heldBy(each) !== each)) return { kind: "mirror" };
  const isTooMuch = areTooLong(joining, key, into) || areTooRich(joining, key, into);
  return isTooMuch ? TEXT_TOO_LONG : undefined;
}

/** A line break comes between two notes. */
function areTooLong({ text }: Joining, key: NodeKey, into: NodeKey): boolean {
  const lengthOf = (each: NodeKey, part: TextPart): number => text(each, part)?.length ?? 0;
  const name = lengthOf(key, "name") + lengthOf(into, "name");
  const note = lengthOf(key, "note") + lengthOf(into, "note") + 1;
  return Math.max(name, note) > MAX_TEXT_LENGTH;
}

function areTooRich({ outline, counts, text }: Joining, key: NodeKey, into: NodeKey): boolean {
  return (["name", "note"] as const).some((part) => {
    const target = text(into, part);
    const before = target === undefined ? 0 : counts.marksOf(target);
    return before + marksOf(outline.richText(key, part)) > MAX_MARKS;
  });
}
