import { expect, test } from "vitest";
import * as Y from "yjs";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { Server } from "../../support/replicas.ts";
import {
  type Edit,
  merged,
  outcome,
  planted,
  raw,
  rename,
  type,
} from "../../support/text-edits.ts";

/** All that was there goes, and all is written anew. */
const rewrite =
  (name: string): Edit =>
  (text, device, key) =>
    type(0, text.length, name)(text, device, key);

/** All that was there goes, something else is written, and both are undone. */
const takenBack: Edit = (text, device, key) => {
  const history = new Y.UndoManager(text);
  rewrite("temp")(text, device, key);
  history.undo();
};

test.each<[name: string, result: string, ...edits: Edit[]]>([
  ["word10", "word9 word11", rename("word9"), rename("word11")],
  ["word10", "word9 word11", rewrite("word9"), rewrite("word11")],
  ["Kotte", "Kotti Kottie", rewrite("Kotti"), rewrite("Kottie")],
  ["Kotte", "Kotti Kotty", type(4, 1, "i"), type(4, 1, "y")],
  ["Tuesday", "Wednesday Thursday", rename("Wednesday"), rename("Thursday")],
  ["on Tuesday.", "on Wednesday Thursday.", rename("on Wednesday."), rename("on Thursday.")],
  ["get v1.5, now", "get v1.6 v1.7, now", type(7, 1, "6"), type(7, 1, "7")],
  ["我在东京见你", "我在大阪 京都见你", type(2, 2, "大阪"), type(2, 2, "京都")],
  ["x", "Alpha Beta Gamma", rewrite("Alpha"), rewrite("Beta"), rewrite("Gamma")],
  [
    "Tuesday",
    "Wednesday Thursday Monday",
    rename("Wednesday"),
    rename("Thursday"),
    rename("Monday"),
  ],
  ["word10", "word11", rename("word"), rename("word11")],
  ["see you Tuesday", "see you Friday", type(7, 8, ""), type(8, 4, "Fri")],
  ["word10", "word11", takenBack, rename("word11")],
  ["Tuesday", "Friday", takenBack, rewrite("Friday")],
  ["Tuesday", "Wednesday Thursday", rename("Wednesday"), takenBack, rename("Thursday")],
  ["Tuesday", "Tuesday", takenBack, takenBack],
  ["Buy milk and eggs", "spam Sell it", rewrite("Sell it"), rename("Buy milk and spam")],
])("[D83] %s, changed differently by several, becomes %s", (name, result, ...edits) => {
  expect(outcome(name, ...edits)).toBe(result);
});

test("[D83] words that are the beginning or the end of another's are there with these", () => {
  expect(outcome("x", rewrite("New title"), rewrite("New title, longer"))).toBe(
    "New title, longer",
  );
  expect(outcome("x", rewrite("title"), rewrite("A long title"))).toBe("A long title");
});

test("[D83] a text that two come to in different ways is there once", () => {
  expect(outcome("Old title", rename("New title"), rewrite("New title"))).toBe("New title");
  expect(outcome("Buy milk", rename("Get milk"), rewrite("Get milk today"))).toBe("Get milk today");
  expect(outcome("Kotte", type(4, 1, "i"), rewrite("Kotti"), rename("Kotti"))).toBe("Kotti");
  // What one has only kept, the other has taken away.
  expect(outcome("Buy milk and eggs", rename("Get milk and eggs"), rewrite("Get milk"))).toBe(
    "Get milk",
  );
  expect(outcome("word10", rename("word9"), rewrite("9 lives"))).toBe("word9 9 lives");
});

test("[D83] formats stay with the words that have them", () => {
  const bold = raw((text) => {
    text.delete(0, 3);
    text.insert(0, "New", { b: true });
  });
  const plain = raw((text) => {
    text.delete(0, 3);
    text.insert(0, "Good");
  });
  expect(outcome("Old title", bold, plain)).toBe("<b>New</b> Good title");
  expect(outcome("Old title", plain, bold)).toBe("Good <b>New</b> title");
});

test("[D84] who goes on typing into one of the words writes into that alone", () => {
  for (const index of [0, 1]) {
    const { lab, key } = planted("word10", 2);
    for (const [other, { outline }] of lab.devices.entries()) {
      outline.editText(key, "name", (text) => {
        text.delete(0, 6);
        text.insert(0, ["word9", "word11"][other] ?? "");
      });
    }
    const writer = lab.device(index);
    const updates = lab.devices.map(({ unsent }) => unsent.splice(0));
    const end = ["word9", "word11"][index]?.length ?? 0;
    writer.outline.editText(key, "name", (text) => text.insert(end, "x"));
    const late = writer.unsent.splice(0);
    for (const [other, device] of lab.devices.entries()) {
      device.unsent.push(...(updates[other] ?? []));
    }
    lab.meet();
    writer.unsent.push(...late);
    lab.meet();
    expect(lab.server.outline.node(key)?.name).toBe(["word9x word11", "word9 word11x"][index]);
  }
});

test("[D84] who has seen both words may do with them as they like", () => {
  const { lab, key } = planted("word10", 3);
  lab.device(0).outline.update(key, { name: "word9" });
  lab.device(1).outline.update(key, { name: "word11" });
  lab.device(2).outline.update(key, { name: "word12" });
  const late = lab.device(2).unsent.splice(0);
  lab.meet();
  lab.device(0).outline.update(key, { name: "word9 or word11" });
  lab.meet();
  expect(lab.server.outline.node(key)?.name).toBe("word9 or word11");
  lab.device(2).unsent.push(...late);
  lab.meet();
  expect(lab.server.outline.node(key)?.name).toContain("word9 or ");
});

test.each([
  ["x", "Alpha", "Beta", "Alpha Beta"],
  ["Tuesday", "Wednesday", "Thursday", "Wednesday Thursday"],
])(
  "[D84] what two servers put right, one before a restore, is there once: %s",
  (name, one, other, result) => {
    const { lab, key } = planted(name, 2);
    const [first, second] = [lab.device(0), lab.device(1)];
    const restored = new Server({ client: 2, random: Math.random, now: lab.clock.now });
    for (const { update } of lab.server.log) restored.receive(update, first);
    restored.repair.run();
    first.outline.update(key, { name: one });
    second.outline.update(key, { name: other });
    for (const [index, device] of lab.devices.entries()) {
      for (const update of device.unsent) {
        restored.receive(update, lab.device(index));
        restored.repair.run();
      }
    }
    const before = lab.server.log.length;
    lab.meet();
    const ofBefore = lab.server.log.slice(before);
    for (const { update } of ofBefore) {
      restored.receive(update, first);
      restored.repair.run();
    }
    // A device that was with the first server comes to the second.
    for (const { update } of restored.log) first.receive(update);
    for (const { outline } of [restored, first]) expect(outline.node(key)?.name).toBe(result);
  },
);

test("[D84] a word that the server has changed stays so when another only takes it away, and writes nothing", () => {
  for (const [at, length, result] of [
    [4, 2, "word11"],
    [0, 6, "word11"],
  ] as const) {
    const { lab, key } = planted("word10", 1);
    const device = lab.device(0);
    lab.server.outline.update(key, { name: "word11" });
    textOf(nodesOf(device.doc), key)?.delete(at, length);
    lab.meet();
    for (const { outline } of [lab.server, device]) expect(outline.node(key)?.name).toBe(result);
  }
});

test("[D84] letters that two type at one moment stay as they are", () => {
  const { lab, key } = planted("word10", 2);
  for (const { outline } of lab.devices) {
    outline.editText(key, "name", (text) => text.delete(5, 1));
  }
  lab.meet();
  for (const [index, { outline }] of lab.devices.entries()) {
    outline.editText(key, "name", (text) => text.insert(5, ["7", "8"][index] ?? ""));
  }
  lab.meet();
  expect(lab.server.outline.node(key)?.name).toBe("word178");
  expect(lab.server.repair.counts.mended).toBe(0);
});

test("[D84] devices that met without the server come to the same when they meet it", () => {
  const { lab, key } = planted("Tuesday", 2);
  const [first, second] = [lab.device(0), lab.device(1)];
  first.outline.update(key, { name: "Wednesday" });
  second.outline.update(key, { name: "Thursday" });
  for (const update of second.unsent) first.receive(update);
  for (const update of first.unsent) second.receive(update);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(key)?.name).toBe("Wednesday Thursday");
  }
});

test("[D84] a restart of the server changes nothing: what was deleted is in its snapshot", () => {
  const { lab, key } = planted("Tuesday", 2);
  lab.device(0).outline.update(key, { name: "Wednesday" });
  lab.device(1).outline.update(key, { name: "Thursday" });
  lab.push(lab.device(0));
  lab.server.saveSnapshot();
  lab.server.restart();
  expect(lab.server.repair.run()).toBe(false);
  lab.meet();
  expect(lab.server.outline.node(key)?.name).toBe("Wednesday Thursday");
  lab.server.restart();
  expect(lab.server.repair.run()).toBe(false);
  expect(lab.server.outline.node(key)?.name).toBe("Wednesday Thursday");
});

test("[D84] after a crash words that were replaced whole are told apart still", () => {
  const { lab, key } = planted("Tuesday", 2);
  lab.device(0).outline.editText(key, "name", (text) => {
    text.delete(0, 7);
    text.insert(0, "Wednesday");
  });
  lab.device(1).outline.editText(key, "name", (text) => {
    text.delete(0, 7);
    text.insert(0, "Thursday");
  });
  lab.push(lab.device(0));
  lab.server.restart();
  lab.meet();
  expect(lab.server.outline.node(key)?.name).toBe("Wednesday Thursday");
});

test("[D84] what thousands of letters written one by one replace is left as it is, in a few steps", () => {
  const { lab, key } = planted("x", 2);
  const [first, second] = [lab.device(0), lab.device(1)];
  for (const device of lab.devices) {
    device.outline.editText(key, "name", (text) => {
      text.delete(0, 1);
      text.insert(0, "a");
      for (let at = 0; at < 2_000; at++) text.insert(0, "a");
    });
  }
  lab.push(first);
  let steps = 0;
  for (const update of second.unsent.splice(0)) lab.server.receive(update, second);
  for (const _ of lab.server.repair.runInSlices()) steps += 1;
  expect(steps).toBeLessThan(1_000);
  expect(lab.server.repair.counts.mended).toBe(0);
});

test("[D53] a mutant is found: words that several changed are not put right", () => {
  const names = merged("Tuesday", [rename("Wednesday"), rename("Thursday")], [0, 1], {
    mendWords: false,
  });
  expect(names).toBe("Wednhursday");
});
