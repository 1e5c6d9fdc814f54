import { expect, test } from "vitest";
import { joinNodes } from "../../../client/lib/edit/name-surgery.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { shownInEveryOrder } from "../../support/shown-in-every-order.ts";
import { Lab } from "../../support/lab.ts";
import { keyOf } from "../../support/outline-notation.ts";
import type { Device } from "../../support/replicas.ts";

type At = (name: string) => NodeKey;
type Work = (device: Device, at: At, index: number) => void;

/** What Backspace at the start of a line does. */
const join =
  (line: string, into: string): Work =>
  (device, at) => {
    const { outline, doc, seen } = device;
    doc.transact(() => {
      joinNodes(outline, at(line), at(into));
      for (const child of outline.childKeys(at(line))) {
        outline.move(child, { parent: at(into), position: "bottom" });
      }
      outline.trash(at(line), seen);
    });
  };

const type =
  (line: string, text: string): Work =>
  ({ outline }, at) =>
    void outline.editText(at(line), "name", (name) => name.insert(name.length, text));
const trash =
  (line: string): Work =>
  ({ outline, seen }, at) =>
    void outline.trash(at(line), seen);
const all =
  (...works: readonly Work[]): Work =>
  (...args) => {
    for (const work of works) work(...args);
  };

function outcome(notation: string, work: Work, devices = 2): string {
  return shownInEveryOrder(devices, () => {
    const lab = new Lab(notation, devices);
    const at: At = (name) => keyOf(lab.keys, name);
    return { lab, away: (device, index) => work(device, at, index) };
  });
}

test.each([2, 3])("[D80] a line of one letter or two that %i join is there once", (devices) => {
  expect(outcome("one a last", join("a", "one"), devices)).toBe("onea last");
  expect(outcome("one ab last", join("ab", "one"), devices)).toBe("oneab last");
  expect(outcome("one a(x y) last", join("a", "one"), devices)).toBe("onea(x y) last");
});

test("[D80] so it is when one of them goes on, before or behind it", () => {
  const oneGoesOn: Work = (device, at, index) => {
    if (index === 0) type("last", "!")(device, at, index);
    join("a", "one")(device, at, index);
    if (index === 0) type("last", "!")(device, at, index);
  };
  expect(outcome("one a last", oneGoesOn)).toBe("onea last!!");
});

test("[D80, D81] so it is whatever a third does to the line meanwhile", () => {
  const thirdDoes =
    (work: Work): Work =>
    (...args) =>
      (args[2] === 2 ? work : join("ab", "one"))(...args);
  const rewrite: Work = ({ outline }, at) => void outline.update(at("ab"), { name: "else" });
  expect(outcome("one ab last", thirdDoes(type("ab", "c")), 3)).toBe("oneab last");
  expect(outcome("one ab last", thirdDoes(rewrite), 3)).toBe("oneab last");
  const remove: Work = ({ outline }, at) => void outline.remove(at("ab"));
  expect(outcome("one ab last", thirdDoes(remove), 3)).toBe("oneab last");
});

test("[D80] so it is with a note, which is appended as a line", () => {
  const lab = new Lab("one a last");
  const at: At = (name) => keyOf(lab.keys, name);
  lab.server.outline.update(at("one"), { note: "x" });
  lab.server.outline.update(at("a"), { note: "n" });
  lab.pullAll();
  for (const [index, device] of lab.devices.entries()) join("a", "one")(device, at, index);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(at("one"))).toMatchObject({ name: "onea", note: "x\nn" });
  }
});

test("[D81] what two join to different lines is in both", () => {
  const apart: Work = (device, at, index) =>
    join("a", index === 0 ? "one" : "two")(device, at, index);
  expect(outcome("one two a", apart)).toBe("onea twoa");
});

test.each<readonly [string, Work, string]>([
  ["typed, and nothing else", type("one", "a"), "oneaa a b last"],
  [
    "typed, and the line deleted by one",
    (device, at, index) => {
      type("one", "a")(device, at, index);
      if (index === 0) trash("a")(device, at, index);
    },
    "oneaa b last",
  ],
  [
    "typed, and another line deleted by each",
    (device, at, index) => all(type("one", "a"), trash(index === 0 ? "a" : "b"))(device, at, index),
    "oneaa last",
  ],
  [
    "typed, and something else before the line was deleted",
    all(type("one", "a"), type("last", "!"), trash("a")),
    "oneaa b last!!",
  ],
])("[D81] a letter that two type where no line was joined is there twice: %s", (_, work, shown) => {
  expect(outcome("one a b last", work)).toBe(shown);
});
