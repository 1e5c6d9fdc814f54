import { describe, expect, it } from "vitest";
import { keyOf } from "../../../../client/app/outline/row-id.ts";
import { updatedRows } from "../../../../client/app/outline/row-update.ts";
import { rowsBelow, type RowView } from "../../../../client/app/outline/row-view.ts";
import type { VisibleRow } from "../../../../client/app/outline/visible-row.ts";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { soloOutline } from "../../../support/lab.ts";
import { integerBelow, seededRandom } from "../../../support/seeded-random.ts";

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);

describe("rows that are brought up to date", () => {
  it.each(SEEDS)("[W31] are those that would be made from nothing (seed %i)", (seed) => {
    const random = seededRandom(seed);
    const outline = soloOutline();
    const collapsed = new Set<NodeKey>();
    const view: RowView = {
      isCollapsed: (id) => collapsed.has(keyOf(id)),
      heldBy: (node) => node,
      isShown: ({ key }) => !key.endsWith("7"),
    };
    const keys: NodeKey[] = [];
    const any = (): NodeKey => keys[integerBelow(random, keys.length)] ?? ROOT;
    let zoom = outline.tree.root;
    let rows: readonly VisibleRow[] = [];
    let updates = 0;
    outline.onChange(({ placed }) => {
      updates++;
      const changed = Array.from(placed, (key) => outline.tree.rowAt(key) ?? key);
      rows = updatedRows(rows, zoom, changed, view);
    });
    for (let step = 0; step < 80; step++) {
      outline.doc.transact(() => {
        for (let times = integerBelow(random, 3); times >= 0; times--) {
          const parent = random() < 0.2 ? ROOT : any();
          const dice = random();
          if (dice < 0.5 || keys.length < 4) {
            const made = outline.create({
              parent,
              position: dice < 0.25 ? "top" : "bottom",
              name: "",
            });
            if (made.kind === "created") keys.push(made.key);
          } else if (dice < 0.85) outline.move(any(), { parent, position: "bottom" });
          else if (dice < 0.93) outline.trash(any(), 0);
          else outline.restore(any());
        }
      });
      const isEqual = (row: VisibleRow, index: number): boolean => {
        const wanted = expected[index];
        return (
          row.node === wanted?.node &&
          row.depth === wanted.depth &&
          row.hasChildren === wanted.hasChildren &&
          row.isExpanded === wanted.isExpanded
        );
      };
      const expected = rowsBelow(zoom, 0, view);
      expect(rows.length).toBe(expected.length);
      expect(rows.every(isEqual)).toBe(true);
      if (random() < 0.1) {
        const key = any();
        if (!collapsed.delete(key)) collapsed.add(key);
        zoom = random() < 0.5 ? outline.tree.root : (outline.tree.visibleRow(any()) ?? zoom);
        rows = rowsBelow(zoom, 0, view);
      }
      if (zoom.parent !== undefined && outline.tree.visibleRow(zoom.key) === undefined) {
        zoom = outline.tree.root;
        rows = rowsBelow(zoom, 0, view);
      }
    }
    expect(updates).toBeGreaterThan(25);
  });
});
