import { completedAtOf } from "../../../src/core/node/completion.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { marksOfNode, NO_MARKS } from "../../../src/core/search/text-marks.ts";
import { plainNameOf, shortened, titleOf } from "../page/node-names.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command, CommandTarget } from "./command.ts";
import { wayBack } from "./delete-commands.ts";
import { holdFocus, isDone } from "./outcome.ts";
import { countOf } from "../page/status-words.ts";

/** What lines are sorted by. Undefined stands behind all others, whichever way round. */
interface Criterion {
  readonly id: string;
  readonly label: string;
  readonly words: string;
  /** Said when it is done, and when it is done the other way round. */
  readonly said: readonly [forth: string, back: string];
  readonly valueOf: (workspace: Workspace, key: NodeKey) => string | number | undefined;
}

const CRITERIA: readonly Criterion[] = [
  {
    id: "node.sortByName",
    label: "Sort by name",
    words: "order alphabetical arrange list",
    said: ["by name", "by name, the last first"],
    valueOf: ({ replica }, key) => plainNameOf(replica.outline, key).trim() || undefined,
  },
  {
    id: "node.sortByDate",
    label: "Sort by date",
    words: "order due arrange list time",
    said: ["by date", "by date, the latest first"],
    valueOf({ replica }, key) {
      const text = textOf(nodesOf(replica.outline.doc), replica.outline.heldBy(key));
      const { dates } = text === undefined ? NO_MARKS : marksOfNode(text);
      return [...dates].toSorted()[0];
    },
  },
  {
    id: "node.sortByCompletion",
    label: "Sort by completion",
    words: "order done open arrange list",
    said: ["with open lines first", "with completed lines first"],
    valueOf({ replica }, key) {
      const text = textOf(nodesOf(replica.outline.doc), replica.outline.heldBy(key));
      return text !== undefined && completedAtOf(text) !== null ? 1 : 0;
    },
  },
];

/** Sorting is an edit like any other: it is there on all devices, and undo takes it back. */
export const SORT_COMMANDS: readonly Command[] = CRITERIA.map((criterion) => ({
  id: criterion.id,
  label: criterion.label,
  group: "move",
  words: criterion.words,
  places: ["slash"],
  isEnabled: (workspace, target) =>
    workspace.replica.outline.childCount(listOf(workspace, target)) > 1,
  run: (workspace, target) => sort(workspace, listOf(workspace, target), criterion),
}));

/** What is below a line, or the list that it stands in when nothing is; without one, what is looked at. */
function listOf({ replica: { outline }, rows }: Workspace, { keys }: CommandTarget): NodeKey {
  const [key] = keys;
  if (key === undefined) return rows.zoom.get();
  if (keys.length === 1 && outline.childCount(key) > 0) return key;
  return outline.tree.visibleRow(key)?.parent?.key ?? rows.zoom.get();
}

function sort(workspace: Workspace, parent: NodeKey, { said, valueOf }: Criterion): void {
  const { replica, notices } = workspace;
  const { outline, edits } = replica;
  const before = outline.childKeys(parent);
  const values = new Map(before.map((key) => [key, valueOf(workspace, key)]));
  const inOrder = (sign: 1 | -1): readonly NodeKey[] =>
    before.toSorted((a, b) => compare(values.get(a), values.get(b), sign));
  const forth = inOrder(1);
  // The same once more turns it round.
  const isThere = forth.every((key, index) => key === before[index]);
  const order = isThere ? inOrder(-1) : forth;
  if (!isDone(workspace, edits.arrange(parent, order))) return;
  holdFocus(workspace);
  notices.show(
    `Sorted ${countOf(order.length, "line")} of “${shortened(titleOf(outline, parent), 40)}” ${said[isThere ? 1 : 0]}`,
    wayBack(workspace, () => void edits.arrange(parent, stillIn(workspace, parent, before))),
  );
}

/** Those that are still there, when something else has been done since. */
function stillIn({ replica }: Workspace, parent: NodeKey, keys: readonly NodeKey[]) {
  const now = new Set(replica.outline.childKeys(parent));
  return keys.filter((key) => now.has(key));
}

const BY_WORDS = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function compare(
  a: string | number | undefined,
  b: string | number | undefined,
  sign: 1 | -1,
): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * BY_WORDS.compare(String(a), String(b));
}
