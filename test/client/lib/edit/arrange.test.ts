import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptInOrder } from "../../../../client/lib/edit/kept-in-order.ts";
import type { NodeKey } from "../../../../src/core/node-key.ts";
import { openDesk } from "../../support/fake-workspace.ts";

const NAMES = "abcdefgh".split("");

async function openList() {
  const desk = await openDesk(`top(${NAMES.join(" ")}) other`);
  const { outline, edits, history } = desk.replica;
  const parent = desk.key("top");
  const nameOf = (key: NodeKey): string => edits.text(key, "name")?.toJSON() ?? "";
  return {
    desk,
    edits,
    history,
    parent,
    outline,
    shown: () => outline.childKeys(parent).map(nameOf).join(""),
  };
}

describe("arranging children", () => {
  it("[L112] puts them into any order, and undo and redo are one step", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(NAMES, { minLength: 8 }),
        fc.shuffledSubarray(NAMES),
        async (first, second) => {
          const { desk, edits, history, parent, shown } = await openList();
          const keysOf = (names: readonly string[]) => names.map((name) => desk.key(name));
          expect(edits.arrange(parent, keysOf(first)).kind).toBe("ok");
          const whole = first.join("");
          expect(shown()).toBe(whole);
          expect(edits.arrange(parent, keysOf(second)).kind).toBe("ok");
          const part = second.join("");
          const wanted = shown();
          // Those that are named stand in their order; the others stand as they stood.
          const named = wanted
            .split("")
            .filter((name) => second.includes(name))
            .join("");
          const others = (text: string) =>
            text
              .split("")
              .filter((name) => !second.includes(name))
              .join("");
          expect(named).toBe(part);
          expect(others(wanted)).toBe(others(whole));
          if (wanted !== whole) {
            history.undo();
            expect(shown()).toBe(whole);
            history.redo();
            expect(shown()).toBe(wanted);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("[L112] moves as few as possible", async () => {
    const { desk, edits, parent, outline } = await openList();
    const registers = () =>
      new Map(NAMES.map((name) => [name, outline.tree.rowAt(desk.key(name))?.register]));
    const before = registers();
    edits.arrange(
      parent,
      "habcdefg".split("").map((name) => desk.key(name)),
    );
    const after = registers();
    expect(NAMES.filter((name) => before.get(name) !== after.get(name))).toEqual(["h"]);
  });

  it("[L112] refuses what is no child, and changes nothing then", async () => {
    const { desk, edits, parent, shown } = await openList();
    const order = [desk.key("b"), desk.key("other"), desk.key("a")];
    expect(edits.arrange(parent, order)).toEqual({ kind: "not_found" });
    edits.trash([desk.key("c")]);
    expect(edits.arrange(parent, [desk.key("d"), desk.key("c")]).kind).toBe("not_found");
    expect(shown()).toBe("abdefgh");
  });
});

it("[L112] what stays is a longest run that rises", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(30), { nil: undefined }), { maxLength: 9 }), (ranks) => {
      const kept = [...keptInOrder(ranks)].toSorted((a, b) => a - b);
      const rises = (places: readonly number[]): boolean =>
        places.every((place, at) => {
          const [rank, last] = [ranks[place], ranks[places[at - 1] ?? -1]];
          return rank !== undefined && (at === 0 || (last ?? 0) < rank);
        });
      expect(rises(kept)).toBe(true);
      const longest = Math.max(
        0,
        ...subsetsOf(ranks.length)
          .filter(rises)
          .map((each) => each.length),
      );
      expect(kept).toHaveLength(longest);
    }),
    { numRuns: 200 },
  );
});

function subsetsOf(count: number): readonly (readonly number[])[] {
  return Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (__, at) => at).filter((at) => (bits >> at) % 2 === 1),
  );
}
