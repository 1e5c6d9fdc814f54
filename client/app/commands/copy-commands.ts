import { besideRow } from "../outline/rows/row-id.ts";
import type { Command } from "./command.ts";
import { isDone, isOneList } from "./outcome.ts";

/** A line once more, beside itself. */
export const COPY_COMMANDS: readonly Command[] = [
  {
    id: "node.duplicate",
    label: "Duplicate",
    group: "write",
    words: "copy repeat",
    keys: ["Mod+Shift+D"],
    places: ["slash", "bullet"],
    isEnabled: ({ rows }, { ids }) => ids.length > 0 && ids[0] !== rows.zoom.get(),
    run(workspace, { keys, ids, text }) {
      const [id] = ids;
      if (!isOneList(workspace, ids)) return;
      const made = workspace.replica.edits.duplicate(keys);
      if (!isDone(workspace, made)) return;
      const copies = id === undefined ? [] : made.keys.map((key) => besideRow(id, key));
      const [first] = copies;
      if (text === undefined) workspace.focus.selectNodes(copies);
      else if (first !== undefined) workspace.focus.caret(first, text.to);
    },
  },
  {
    id: "node.mirror",
    label: "Mirror",
    group: "write",
    words: "copy same twice",
    keys: ["Mod+Shift+Y"],
    places: ["slash", "bullet"],
    isEnabled: ({ rows }, { ids }) => ids.length === 1 && ids[0] !== rows.zoom.get(),
    run(workspace, { keys: [key], ids: [id] }) {
      const { outline, edits } = workspace.replica;
      const parent = key && outline.placeOf(key)?.parent.key;
      if (key === undefined || id === undefined || parent === undefined) return;
      const made = edits.mirror(key, { parent, position: { after: key } });
      if (isDone(workspace, made)) workspace.focus.caret(besideRow(id, made.key), "end");
    },
  },
];
