import fc from "fast-check";
import { ROOT, type NodeKey } from "../../../../src/core/node-key.ts";
import type { Outline } from "../../../../src/core/outline.ts";
import type { Position } from "../../../../src/core/tree/sibling-gap.ts";
import type { OutlineEntry } from "../../../../src/formats/outline-entry.ts";
import { LAYOUTS } from "../../../../src/core/node/layout.ts";
import type { Desk } from "./desk.ts";

/** Numbers that choose nodes and places: of whatever there is when the edit is made. */
export interface RandomEdit {
  readonly kind: (typeof KINDS)[number];
  readonly node: number;
  readonly other: number;
  readonly at: number;
  readonly size: number;
  readonly seconds: number;
}

const KINDS = [
  "type",
  "type",
  "type",
  "delete",
  "replace",
  "note",
  "format",
  "create",
  "split",
  "join",
  "move",
  "moveMany",
  "complete",
  "layout",
  "trash",
  "restore",
  "duplicate",
  "insert",
  "shortcut",
] as const;

export const randomEdit: fc.Arbitrary<RandomEdit> = fc.record({
  kind: fc.constantFrom(...KINDS),
  node: fc.nat(1_000),
  other: fc.nat(1_000),
  at: fc.nat(1_000),
  size: fc.nat(4),
  seconds: fc.nat(2),
});

/** Makes an edit at the desk; refusals are fine. */
export function makeEdit(desk: Pick<Desk, "outline" | "edits" | "clock">, edit: RandomEdit): void {
  const { edits, outline, clock } = desk;
  clock.passSeconds(edit.seconds);
  const [key, other] = [chosen(outline, edit.node), chosen(outline, edit.other)];
  if (key === undefined || other === undefined) {
    edits.create({ parent: ROOT, name: "first" });
    return;
  }
  const length = edits.text(key, "name")?.length ?? 0;
  const at = edit.at % (length + 1);
  const to = destination(outline, other, edit.at);
  switch (edit.kind) {
    case "type":
      edits.type(key, "name", { at, remove: 0, insert: "xy😀z".slice(0, edit.size) });
      break;
    case "delete":
      edits.type(key, "name", { at, remove: edit.size, insert: "" });
      break;
    case "replace":
      edits.type(key, "name", { at, remove: edit.size, insert: "new" });
      break;
    case "note": {
      const end = edits.text(key, "note")?.length ?? 0;
      edits.type(key, "note", { at: edit.at % (end + 1), remove: edit.size, insert: "n\n" });
      break;
    }
    case "format": {
      const range = { from: at, to: at + edit.size };
      const name = edit.other % 2 === 0 ? "b" : "i";
      edits.format(key, "name", range, name, edit.node % 3 === 0 ? null : true);
      break;
    }
    case "create":
      edits.create({ ...to, name: "made\n\nbelow" });
      break;
    case "split":
      edits.split(key, at, to);
      break;
    case "join":
      edits.join(key, other);
      break;
    case "move":
      edits.move([key], to);
      break;
    case "moveMany":
      edits.move(outline.childKeys(ROOT).slice(0, edit.size), to);
      break;
    case "complete":
      edits.complete([key, other], edit.size % 2 === 0);
      break;
    case "layout":
      edits.layout([key, other], LAYOUTS[edit.size] ?? "todo");
      break;
    case "trash":
      edits.trash([key]);
      break;
    case "restore": {
      const trashed = outline.trashedKeys();
      const back = trashed[edit.node % Math.max(1, trashed.length)];
      if (back !== undefined) edits.restore(back);
      break;
    }
    case "duplicate":
      edits.duplicate([key]);
      break;
    case "insert":
      edits.insert(FOREST, to);
      break;
    case "shortcut":
      if (edit.size === 0) edits.removeShortcut("s1");
      else edits.setShortcut(`s${edit.size}`, key);
      break;
  }
}

/**
 * What another device does. @param token a character of its own, which it writes somewhere
 * @returns whether it wrote it
 */
export function makeRemoteEdit(outline: Outline, edit: RandomEdit, token: string): boolean {
  const [key, other] = [chosen(outline, edit.node), chosen(outline, edit.other)];
  if (key === undefined || other === undefined || edit.kind === "create") {
    outline.createPlain({ parent: other ?? ROOT, name: [{ insert: token }] });
    return true;
  }
  switch (edit.kind) {
    case "move":
      outline.move(key, destination(outline, other, edit.at));
      return false;
    case "complete":
      outline.setCompleted(key, edit.size % 2 === 0);
      return false;
    case "layout":
      outline.update(key, { layout: LAYOUTS[edit.size] ?? "todo" });
      return false;
    default:
      outline.editText(key, edit.kind === "note" ? "note" : "name", (text) => {
        text.insert(edit.at % (text.length + 1), token);
      });
      return true;
  }
}

const FOREST: readonly OutlineEntry[] = [
  { depth: 0, name: "<b>p</b>asted", layout: "h1" },
  { depth: 1, name: "below", layout: "todo", completedAt: 1_700_000_000, note: "noted" },
  { depth: 0, name: "last", layout: "bullets" },
];

function chosen(outline: Outline, number: number): NodeKey | undefined {
  return [...outline.keysInOrder()][number % Math.max(1, outline.size)];
}

function destination(
  outline: Outline,
  key: NodeKey,
  number: number,
): { readonly parent: NodeKey; readonly position: Position } {
  const parent = outline.node(key)?.parent ?? ROOT;
  switch (number % 4) {
    case 0:
      return { parent, position: { after: key } };
    case 1:
      return { parent, position: { before: key } };
    case 2:
      return { parent: key, position: "top" };
    default:
      return { parent: key, position: "bottom" };
  }
}
