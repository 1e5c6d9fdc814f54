import { expect, test } from "vitest";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/tree/destinations.ts";
import { splitNode } from "../../../client/lib/edit/name-surgery.ts";
import { shownInEveryOrder } from "../../support/shown-in-every-order.ts";
import { Lab } from "../../support/lab.ts";
import { shape } from "../../support/outline-notation.ts";
import type { Device } from "../../support/replicas.ts";

function planted(name: string, devices: number): { lab: Lab; key: NodeKey } {
  const lab = new Lab("", devices);
  const made = lab.server.outline.create({ parent: ROOT, name });
  if (made.kind !== "created") throw new Error(made.kind);
  lab.server.outline.create({ parent: ROOT, position: "bottom", name: "last" });
  lab.pullAll();
  return { lab, key: made.key };
}

function split(
  { outline, doc }: Device,
  key: NodeKey,
  at: number,
  to: Destination = { parent: ROOT, position: { after: key } },
): NodeKey {
  return doc.transact(() => splitNode(outline, key, at, to));
}

function outcome(work: (device: Device, key: NodeKey, index: number) => void, devices = 2): string {
  return shownInEveryOrder(devices, () => {
    const { lab, key } = planted("one two", devices);
    return { lab, away: (device, index) => work(device, key, index) };
  });
}

test("[D82] a split that several make at the same place is one split", () => {
  const both = (device: Device, key: NodeKey): void => void split(device, key, 3);
  expect(outcome(both)).toBe("one  two last");
  expect(outcome(both, 3)).toBe("one  two last");
});

test("[D82] so is one of a line that has lines below it, where the new line is the first of these", () => {
  const shown = outcome((device, key) => {
    split(device, key, 4, { parent: key, position: "top" });
  });
  expect(shown).toBe("one (two) last");
});

test("[D82] splits at different places, and equal lines that were written so, stay", () => {
  const apart = outcome((device, key, index) => void split(device, key, index === 0 ? 3 : 4));
  expect(apart.match(/two/g)).toHaveLength(2);
  const written = outcome(({ outline }, key) => {
    outline.create({ parent: ROOT, position: { after: key }, name: "two" });
  });
  expect(written).toBe("one two two two last");
});

test("[D82] lines that say something else than what both deleted before them stay", () => {
  const shown = outcome(({ outline }, key) => {
    outline.editText(key, "name", (text) => text.delete(4, 3));
    outline.create({ parent: ROOT, position: { after: key }, name: "new" });
  });
  expect(shown).toBe("one  new new last");
});

test("[D82] who has seen the split and writes the same line again wants it twice", () => {
  const { lab, key } = planted("one two", 2);
  const [first, second] = [lab.device(0), lab.device(1)];
  split(first, key, 3);
  lab.meet();
  second.outline.create({ parent: ROOT, position: { after: key }, name: " two" });
  lab.meet();
  expect(shape(lab.server.outline)).toBe("one two  two last");
  expect(lab.server.repair.counts.sameSplit).toBe(0);
});

test("[D82] the new line that somebody put something into stays, the other goes", () => {
  const shown = outcome((device, key, index) => {
    const half = split(device, key, 4);
    if (index === 0) device.outline.create({ parent: half, name: "child" });
  });
  expect(shown).toBe("one  two(child) last");
  const filled = outcome((device, key) => {
    device.outline.create({ parent: split(device, key, 4), name: "child" });
  });
  expect(filled).toBe("one  two(child) two(child) last");
});

test("[D82] what goes is in the trash, and what comes into it later is put where it was", () => {
  const { lab, key } = planted("one two", 2);
  const halves = lab.devices.map((device) => split(device, key, 4));
  const late = lab.devices.map(({ outline }, index) => {
    const { unsent } = lab.device(index);
    const before = unsent.splice(0);
    outline.create({ parent: halves[index] ?? ROOT, name: `late${index}` });
    const added = unsent.splice(0);
    unsent.push(...before);
    return added;
  });
  lab.meet();
  expect(shape(lab.server.outline)).toBe("one  two last");
  for (const [index, added] of late.entries()) lab.device(index).unsent.push(...added);
  lab.meet();
  expect(shape(lab.server.outline)).toMatch(/late0/);
  expect(shape(lab.server.outline)).toMatch(/late1/);
});
