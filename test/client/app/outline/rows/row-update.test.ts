import { describe, expect, it } from "vitest";
import { keyOf, viaOf } from "../../../../../client/app/outline/rows/row-id.ts";
import { refoldedRows, updatedRows } from "../../../../../client/app/outline/rows/row-update.ts";
import { rowsBelow, type RowView } from "../../../../../client/app/outline/rows/row-view.ts";
import type { VisibleRow } from "../../../../../client/app/outline/rows/visible-row.ts";
import { type NodeKey, ROOT } from "../../../../../src/core/node-key.ts";
import type { Outline } from "../../../../../src/core/outline.ts";
import { soloOutline } from "../../../../support/lab.ts";
import { integerBelow, seededRandom } from "../../../../support/seeded-random.ts";

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);
/** So many mirrors are gone into: rings would never end before the limit. */
const MOST_VIA = 2;

/** Row for row the same, whatever the objects. */
function expectSame(rows: readonly VisibleRow[], wanted: readonly VisibleRow[]): void {
  expect(rows.length).toBe(wanted.length);
  const isLike = (row: VisibleRow, index: number): boolean =>
    wanted[index] !== undefined && row.isLike(wanted[index]);
  expect(rows.every(isLike)).toBe(true);
}

/** What is shown of an outline. */
function viewOf(outline: Outline, collapsed: ReadonlySet<NodeKey>): RowView {
  const { tree } = outline;
  return {
    isCollapsed: (id) => collapsed.has(keyOf(id)) || viaOf(id).length > 12 * MOST_VIA,
    heldBy: (node) => tree.rowAt(outline.heldBy(node.key)) ?? node,
    isShown: ({ key }) => !key.endsWith("7"),
  };
}

describe("rows that are brought up to date", () => {
  it.each(SEEDS.flatMap((seed) => [[seed, "with"] as const, [seed, "without"] as const]))(
    "[W31] are those that would be made from nothing (seed %i, %s mirrors)",
    (seed, mirrors) => {
      const random = seededRandom(seed);
      const outline = soloOutline();
      const collapsed = new Set<NodeKey>();
      const view = viewOf(outline, collapsed);
      const keys: NodeKey[] = [];
      const any = (): NodeKey => keys[integerBelow(random, keys.length)] ?? ROOT;
      let zoom = outline.tree.root;
      let rows: readonly VisibleRow[] = [];
      let updates = 0;
      let copies = 0;
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
            if (mirrors === "with" && dice < 0.1 && keys.length > 3) {
              const made = outline.mirror(any(), { parent, position: "top" });
              if (made.kind === "created") keys.push(made.key);
            } else if (dice < 0.5 || keys.length < 4) {
              const position = dice < 0.25 ? "top" : "bottom";
              const made = outline.create({ parent, position, name: "" });
              if (made.kind === "created") keys.push(made.key);
            } else if (dice < 0.85) outline.move(any(), { parent, position: "bottom" });
            else if (dice < 0.92) outline.trash(any(), 0);
            else if (dice < 0.94) outline.remove(any());
            else outline.restore(any());
          }
        });
        expectSame(rows, rowsBelow(zoom, 0, view));
        copies += rows.filter((row) => row.via !== "").length;
        if (random() < 0.1) {
          const key = any();
          if (!collapsed.delete(key)) collapsed.add(key);
          zoom = random() < 0.5 ? outline.tree.root : (outline.tree.visibleRow(any()) ?? zoom);
          if (outline.heldBy(zoom.key) !== zoom.key) zoom = outline.tree.root;
          rows = rowsBelow(zoom, 0, view);
        }
        if (random() < 0.2 && keys.length > 0) {
          const row = rows[integerBelow(random, rows.length)];
          if (row === undefined) continue;
          if (!collapsed.delete(row.key)) collapsed.add(row.key);
          // A node may have several rows; its fold is theirs in this view.
          const folded = rows.filter(({ key }) => key === row.key);
          rows = refoldedRows(rows, zoom, folded, view, 0);
          expectSame(rows, rowsBelow(zoom, 0, view));
        }
        if (zoom.parent !== undefined && outline.tree.visibleRow(zoom.key) === undefined) {
          zoom = outline.tree.root;
          rows = rowsBelow(zoom, 0, view);
        }
      }
      expect(updates).toBeGreaterThan(25);
      if (mirrors === "without") expect(copies).toBe(0);
    },
  );

  it("[W30] cost what has changed, in an outline with mirrors as well", () => {
    const outline = soloOutline();
    let asked = 0;
    const all = viewOf(outline, new Set());
    const view: RowView = {
      ...all,
      isShown(node) {
        asked++;
        return all.isShown(node);
      },
    };
    const make = (parent: NodeKey): NodeKey => {
      for (;;) {
        const made = outline.create({ parent, position: "bottom", name: "" });
        if (made.kind === "created" && !made.key.endsWith("7")) return made.key;
      }
    };
    const [list, mirrored, elsewhere] = [make(ROOT), make(ROOT), make(ROOT)];
    for (let index = 0; index < 3_000; index++) make(list);
    for (let index = 0; index < 10; index++) make(mirrored);
    outline.mirror(mirrored, { parent: elsewhere });
    let rows: readonly VisibleRow[] = rowsBelow(outline.tree.root, 0, view);
    const stop = outline.onChange(({ placed }) => {
      const changed = Array.from(placed, (key) => outline.tree.rowAt(key) ?? key);
      rows = updatedRows(rows, outline.tree.root, changed, view);
    });
    for (const parent of [list, mirrored]) {
      const before = rows;
      asked = 0;
      make(parent);
      expect(asked).toBeLessThan(100);
      const isKept = before.filter((row) => rows.includes(row)).length;
      expect(isKept).toBe(before.length);
    }
    stop();
    expectSame(rows, rowsBelow(outline.tree.root, 0, view));
  });
});
