import { expect, test } from "vitest";
import {
  deletionTime,
  encodeDeletion,
  parseDeletion,
} from "../../../src/core/node/deletion-mark.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import {
  createdAtIn,
  encodePlacement,
  movedByPersonAt,
  movedByPersonAtIn,
  orderIn,
  parentIn,
  parsePlacement,
  type Placement,
} from "../../../src/core/tree/placement.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const a = "0123456789ab" as NodeKey;
const b = "fedcba987654" as NodeKey;
const createdAt = Date.UTC(2026, 10, 20);

const PLACEMENTS: readonly Placement[] = [
  { parent: a, createdAt, order: "V-0V" },
  { parent: a, createdAt, order: "V-0V", move: { at: createdAt, from: { parent: b, order: "V" } } },
  {
    parent: b,
    createdAt,
    order: "k-0V",
    restates: { client: 7, clock: 0, how: "displaced", movedAt: 0 },
  },
  {
    parent: "000000000000" as NodeKey,
    createdAt: 0,
    order: "V-0V-1V",
    move: { at: 2 ** 42 - 1, from: { parent: a, order: "V-0V" } },
    restates: { client: 2 ** 32 - 1, clock: 2 ** 31, how: "reordered", movedAt: createdAt },
  },
];

test("[D3] a placement is one string that reads back the same", () => {
  for (const placement of PLACEMENTS) {
    const text = encodePlacement(placement);
    expect(parsePlacement(text)).toEqual(placement);
    expect({
      parent: parentIn(text),
      order: orderIn(text),
      createdAt: createdAtIn(text),
      movedAt: movedByPersonAtIn(text),
    }).toEqual({
      parent: placement.parent,
      order: placement.order,
      createdAt: placement.createdAt,
      movedAt: movedByPersonAt(placement),
    });
  }
  expect(PLACEMENTS.map((placement) => encodePlacement(placement).length)).toEqual([
    19, 36, 31, 65,
  ]);
});

test("[D3] everything else is no placement", () => {
  const random = seededRandom(5);
  for (const placement of PLACEMENTS) {
    const text = encodePlacement(placement);
    for (let end = 0; end < text.length; end++) {
      const cut = parsePlacement(text.slice(0, end));
      if (cut !== undefined) expect(encodePlacement(cut)).toBe(text.slice(0, end));
    }
    for (let round = 0; round < 300; round++) {
      const at = Math.floor(random() * text.length);
      const garbled =
        text.slice(0, at) + String.fromCharCode(Math.floor(random() * 200)) + text.slice(at + 1);
      const parsed = parsePlacement(garbled);
      if (parsed !== undefined) expect(encodePlacement(parsed)).toBe(garbled);
    }
  }
  const huge = `${encodePlacement({ parent: a, createdAt, order: "V" })}${"-0V".repeat(2_000)}`;
  for (const text of ["", "p", huge, "x".repeat(1_000_000), "💥".repeat(20)]) {
    expect(parsePlacement(text)).toBeUndefined();
  }
});

test("[D7] a deletion mark says how final it is and what the deleter had seen", () => {
  const marks = {
    "f*": { kind: "final", seen: "everything" },
    t0: { kind: "trash", seen: 0 },
    t1234: { kind: "trash", seen: 1234 },
    "t5'a.1s": { kind: "trash", seen: 5, restates: { client: 10, clock: 64 } },
  } as const;
  for (const [text, mark] of Object.entries(marks)) {
    expect(parseDeletion(text)).toEqual(mark);
    expect(encodeDeletion(mark, { at: 0 })).toBe(text);
    const timed = encodeDeletion(mark, { at: createdAt });
    expect(parseDeletion(timed)).toEqual(mark);
    expect(deletionTime(timed)).toBe(createdAt);
  }
  for (const text of [undefined, "", "x1", "t", "t-1", "t1.5", "t1'", "t1'zz", "true", "f**"]) {
    expect(parseDeletion(text)).toBeUndefined();
  }
});
