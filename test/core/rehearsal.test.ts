import { expect, test, vi } from "vitest";
import { CALENDAR, dayKey, INBOX, monthKey, type NodeKey, ROOT } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { Rehearsal } from "../../src/core/rehearsal.ts";
import { soloOutline } from "../support/lab.ts";
import { keyOf, plant, shape } from "../support/outline-notation.ts";
import { oneOf, seededRandom } from "../support/seeded-random.ts";
import { runs } from "../support/runs.ts";

type Step =
  | { readonly op: "make"; readonly parent: NodeKey }
  | { readonly op: "move"; readonly key: NodeKey; readonly parent: NodeKey }
  | { readonly op: "remove"; readonly key: NodeKey };

function kindOf(result: { readonly kind: string }): string {
  return result.kind === "created" ? "ok" : result.kind;
}

function rehearse(rehearsal: Rehearsal, step: Step): string {
  switch (step.op) {
    case "make":
      return kindOf(rehearsal.reach(step.parent));
    case "move":
      return kindOf(rehearsal.move(step.key, step.parent));
    case "remove":
      return kindOf(rehearsal.remove(step.key));
  }
}

function perform(outline: Outline, step: Step): string {
  switch (step.op) {
    case "make":
      return kindOf(outline.create({ parent: step.parent, name: "new" }));
    case "move":
      return kindOf(outline.move(step.key, { parent: step.parent }));
    case "remove":
      return kindOf(outline.remove(step.key));
  }
}

const DAY = dayKey(2026, 12, 24);
const RESERVED = [INBOX, CALENDAR, monthKey(2026, 12), DAY];

test("[N65] a rehearsal says of each operation what doing it comes to, and changes nothing", () => {
  let refused = 0;
  let returned = 0;
  for (let seed = 1; seed <= runs(300, 5_000); seed++) {
    const random = seededRandom(seed);
    const outline = soloOutline();
    const keys = Object.values(plant(outline, "a(b(c(d) e) f) g(h(i) j) k"));
    if (seed % 2 === 0) outline.create({ parent: DAY, name: "of the day" });
    const before = shape(outline);
    const all = [...keys, ...RESERVED];
    const steps = Array.from({ length: 6 }, (): Step => {
      const key = oneOf(random, all);
      const parent = oneOf(random, [...all, ROOT]);
      return oneOf(random, [
        { op: "make", parent },
        { op: "move", key, parent },
        { op: "remove", key },
      ]);
    });
    const rehearsal = new Rehearsal(outline);
    const foreseen = steps.map((step) => rehearse(rehearsal, step));
    expect([seed, shape(outline)]).toEqual([seed, before]);
    const firstRefused = foreseen.findIndex((kind) => kind !== "ok");
    const end = firstRefused === -1 ? steps.length : firstRefused + 1;
    const came = steps.slice(0, end).map((step) => perform(outline, step));
    expect([seed, steps, came]).toEqual([seed, steps, foreseen.slice(0, end)]);
    if (firstRefused >= 0) refused++;
    if (steps.some((step, at) => at < end && step.op === "remove" && RESERVED.includes(step.key)))
      returned++;
  }
  expect(refused).toBeGreaterThan(50);
  expect(returned).toBeGreaterThan(20);
});

test("[N65, N39] a rehearsal does not go up anew from each node on the way up", () => {
  const outline = soloOutline();
  const keys: NodeKey[] = [];
  for (let depth = 0; depth < 100; depth++) {
    keys.push(outline.createPlain({ parent: keys.at(-1) ?? ROOT, name: [] }));
  }
  const [last = ROOT, , above = ROOT] = keys.toReversed();
  // Each of these goes up from one node.
  const has = vi.spyOn(outline, "has");
  expect(new Rehearsal(outline).move(last, above)).toEqual({ kind: "ok" });
  expect(has.mock.calls.length).toBeLessThan(5);
});

test("[I4] many operations deep down pass what is above them once", () => {
  const outline = soloOutline();
  const deep = Array.from({ length: 1_000 }, (_, index) => `d${index}`);
  const leaves = Array.from({ length: 100 }, (_, index) => `l${index}`);
  const keys = plant(outline, `${deep.join("(")}(${leaves.join(" ")})${")".repeat(999)}`);
  const leafKeys = leaves.map((name) => keyOf(keys, name));
  const to = { parent: keyOf(keys, "d990") };
  let passed = 0;
  const high = outline.tree.rowAt(keyOf(keys, "d10"));
  const above = high?.parent;
  const counted = { get: () => (passed++, above), set: () => expect.unreachable() };
  Object.defineProperty(high, "parent", counted);

  const rehearsal = new Rehearsal(outline);
  expect(rehearsal.remove(leafKeys[0] ?? ROOT).kind).toBe("ok");
  for (const leaf of leafKeys.slice(1)) expect(rehearsal.move(leaf, to.parent).kind).toBe("ok");
  outline.doc.transact(() => {
    for (const leaf of leafKeys.slice(1)) {
      expect(outline.move(leaf, to).kind).toBe("ok");
      outline.create({ ...to, name: "beside" });
      outline.setCompleted(leaf, true);
      expect(outline.remove(leaf).kind).toBe("ok");
    }
  });
  expect(passed).toBeLessThan(10);
});

test("[I4] what is known of those above is forgotten when it changes", () => {
  const random = seededRandom(5);
  for (let run = runs(20, 100); run > 0; run--) {
    const outline = soloOutline();
    const names = Array.from({ length: 200 }, (_, index) => `d${index}`);
    const keys = plant(outline, `${names.join("(")}${")".repeat(199)}`);
    const all = names.map((name) => keyOf(keys, name));
    for (let step = 0; step < 60; step++) {
      const key = oneOf(random, all);
      if (random() < 0.4) outline.move(key, { parent: random() < 0.3 ? ROOT : oneOf(random, all) });
      else if (random() < 0.5) outline.trash(key, 0);
      else outline.restore(key);
      const asked = oneOf(random, all);
      let isHidden = false;
      for (let up = outline.tree.rowAt(asked); up !== undefined; up = up.parent) {
        isHidden ||= up.deletion !== undefined;
      }
      expect(outline.has(asked)).toBe(!isHidden);
    }
  }
});
