import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import {
  completedAgain,
  completedAtOf,
  completionAfter,
  joinCompletions,
  readCompletion,
  writeCompletion,
  type Completion,
} from "../../../src/core/node/completion.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { everyOrder, type Act } from "../../support/every-order.ts";
import { permutationsOf } from "../../support/permutations.ts";
import { Lab } from "../../support/lab.ts";
import { keyOf } from "../../support/outline-notation.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";

const complete: Act = (outline, at) =>
  expect(outline.setCompleted(at("a"), true)).toEqual({ kind: "ok" });
const reopen: Act = (outline, at) =>
  expect(outline.setCompleted(at("a"), false)).toEqual({ kind: "ok" });
const completeAnew: Act = (...all) => {
  reopen(...all);
  complete(...all);
};
const reopenAnew: Act = (...all) => {
  complete(...all);
  reopen(...all);
};

describe("[D71] what was done last decides, and the first completion since then is shown", () => {
  test.each<readonly [string, Act | undefined, readonly Act[], number | null]>([
    ["two complete: the first time stays", undefined, [complete, complete], 11],
    ["three complete", undefined, [complete, complete, complete], 11],
    ["completed anew, then reopened", complete, [completeAnew, reopen], null],
    ["completed, then completed and reopened", undefined, [complete, reopenAnew], null],
    ["reopened, then completed", undefined, [reopenAnew, complete], 12],
    ["completed, reopened, completed", undefined, [complete, reopenAnew, complete], 13],
    ["reopened, completed, completed", undefined, [reopenAnew, complete, complete], 12],
    ["completed, completed, reopened", undefined, [complete, complete, reopenAnew], null],
  ])("%s", (_, before, acts, expected) => {
    const start = new Lab("a").clock.nowSec;
    everyOrder({ notation: "a b", ...(before && { before }), acts }, (outline, at) => {
      const completedAt = outline.node(at("a"))?.completedAt ?? null;
      expect(completedAt === null ? null : completedAt - start).toBe(expected);
    });
  });

  test("a completion that is older than a reopening that was seen counts for nothing", () => {
    const lab = new Lab("a");
    const a = keyOf(lab.keys, "a");
    const [away, here] = [lab.device(0), lab.device(1)];
    away.outline.setCompleted(a, true);
    for (const completed of [true, false, true]) {
      lab.clock.passSeconds(10);
      here.outline.setCompleted(a, completed);
    }
    lab.push(here);
    lab.push(away);
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(outline.node(a)?.completedAt).toBe(lab.clock.nowSec);
    }
  });

  test("joining does not depend on the order, on repetition or on grouping", () => {
    const random = seededRandom(3);
    for (let round = 0; round < 300; round++) {
      const one = (): Completion => {
        const before = { reopenedAt: 1 + integerBelow(random, 9), completedAt: [] };
        return completionAfter(before, random() < 0.6, 1 + integerBelow(random, 9));
      };
      const writes = [one(), one(), one(), one()];
      const ends = permutationsOf(writes).map((order) =>
        JSON.stringify(order.reduce(joinCompletions)),
      );
      expect(new Set(ends).size).toBe(1);
      const [a, b, c] = writes;
      if (!a || !b || !c) throw new Error("no writes");
      const grouped = joinCompletions(
        a,
        joinCompletions(b, joinCompletions(c, joinCompletions(a, b))),
      );
      expect(grouped).toEqual([a, b, c].reduce(joinCompletions));
    }
  });
});

test("[D2, D71] `x` is a number: of when it was completed, or of when it was reopened, negative", () => {
  const doc = new Y.Doc();
  const text = doc.getMap<Y.Text>("nodes").set("a", new Y.Text());
  const says = (): readonly unknown[] => [text.getAttribute("x"), text.getAttribute("c")];
  writeCompletion(text, completionAfter(readCompletion(text), true, 100));
  expect(says()).toEqual([100, undefined]);
  writeCompletion(text, completionAfter(readCompletion(text), false, 150));
  expect(says()).toEqual([-150, undefined]);
  expect(completedAtOf(text)).toBeNull();
  writeCompletion(text, completedAgain(readCompletion(text), 100, 200));
  expect(says()).toEqual([100, "2r.2s.5k"]);
  expect(completedAtOf(text)).toBe(100);
  // Beside another number it means nothing.
  text.setAttribute("x", 300);
  expect(readCompletion(text)).toEqual({ reopenedAt: 0, completedAt: [300] });
  for (const nonsense of [1.5, 253_402_300_800, -253_402_300_800, "1", null, true, 0]) {
    text.setAttribute("x", nonsense);
    expect(completedAtOf(text)).toBeNull();
  }
});

test("[D73] reopening and completing are later than what they replace, within a day", () => {
  const completed: Completion = { reopenedAt: 0, completedAt: [1_000] };
  expect(completionAfter(completed, false, 900)).toEqual({ reopenedAt: 1_000, completedAt: [] });
  const open: Completion = { reopenedAt: 1_000, completedAt: [] };
  expect(completionAfter(open, true, 900)).toEqual({ reopenedAt: 999, completedAt: [1_000] });
  const ahead: Completion = { reopenedAt: 1_000_000, completedAt: [] };
  expect(completionAfter(ahead, true, 900)).toEqual({ reopenedAt: 0, completedAt: [900] });
});

test("[D70, D71] a completion that says no time for its reopening has that of the author's marks", () => {
  const lab = new Lab("a");
  const a = keyOf(lab.keys, "a");
  lab.server.outline.setCompleted(a, true);
  lab.pullAll();
  const [old, young] = [lab.device(0), lab.device(1)];
  lab.clock.passSeconds(100);
  young.outline.setCompleted(a, false);
  young.outline.setCompleted(a, true);
  lab.clock.passSeconds(100);
  // As programs of the first schema wrote it.
  old.outline.editText(a, "name", (text) => text.insert(0, "x"));
  textOf(nodesOf(old.doc), a)?.setAttribute("x", 0);
  lab.meet();
  expect(lab.server.outline.node(a)?.completedAt).toBeNull();
});
