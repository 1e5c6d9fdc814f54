import { describe, expect, it } from "vitest";
import { dropPlaceAt } from "../../../../../client/app/outline/gestures/drop-place.ts";
import { keyOf } from "../../../../../client/app/outline/rows/row-id.ts";
import { ROOT } from "../../../../../src/core/node-key.ts";
import { openDesk } from "../../../support/fake-workspace.ts";

async function dropper(dragged: string) {
  const desk = await openDesk("a(b c(d)) e f");
  const nameOf = new Map(["a", "b", "c", "d", "e", "f"].map((name) => [desk.key(name), name]));
  return {
    desk,
    drop: (gap: number, depth: number): string => {
      const rows = desk.workspace.rows.rows.get();
      const { to, depth: shown } = dropPlaceAt(
        rows,
        ROOT,
        gap,
        depth,
        new Set([desk.key(dragged)]),
      );
      const { parent, position } = to;
      const isAfter = typeof position === "object" && "after" in position;
      const place = isAfter ? `after ${nameOf.get(position.after)}` : "top";
      return `${nameOf.get(keyOf(parent)) ?? "home"} ${place} ${shown}`;
    },
  };
}

describe("dropping rows", () => {
  it("[W45] lands at the depth that is pointed at, as far as the rows around allow it", async () => {
    const { drop } = await dropper("f");
    expect(drop(0, 3)).toBe("home top 0");
    expect(drop(1, 0)).toBe("a top 1");
    expect(drop(2, 9)).toBe("b top 2");
    expect(drop(4, 9)).toBe("d top 3");
    expect(drop(4, 2)).toBe("c after d 2");
    expect(drop(4, 1)).toBe("a after c 1");
    expect(drop(4, 0)).toBe("home after a 0");
    expect(drop(5, 1)).toBe("e top 1");
  });

  it("[W45] never lands in what is dragged, but in what is collapsed", async () => {
    const { drop, desk } = await dropper("c");
    expect(drop(3, 9)).toBe("b top 2");
    expect(drop(3, 0)).toBe("home after a 0");
    desk.workspace.rows.setCollapsed([desk.key("a")], true);
    expect(drop(1, 5)).toBe("a top 1");
    expect(drop(1, 0)).toBe("home after a 0");
  });
});
