import { expect, test } from "vitest";
import * as Y from "yjs";
import type { Device } from "../../support/replicas.ts";
import {
  type Edit,
  merged,
  outcome,
  outcomeApart,
  planted,
  raw,
  rename,
  type,
} from "../../support/text-edits.ts";

test.each<[name: string, result: string, ...edits: Edit[]]>([
  ["Kotte", "Kotti", rename("Kotti"), rename("Kotti")],
  ["Kotte", "Kotti", rename("Kotti"), rename("Kotti"), rename("Kotti")],
  ["Kotte", "Kotti", type(4, 1, "i"), type(4, 1, "i")],
  ["Old title", "New title", rename("New title"), rename("New title")],
  ["x", "New title", type(0, 1, "New title"), type(0, 1, "New title")],
  ["x", "New title", rename("New title"), rename("New title"), rename("New title")],
  ["Buy milk", "Buy milk and eggs", type(8, 0, " and eggs"), type(8, 0, " and eggs")],
  [
    "see labix.org/python-dateutil/x",
    "see github.com/dateutil/dateutil/x",
    rename("see github.com/dateutil/dateutil/x"),
    rename("see github.com/dateutil/dateutil/x"),
  ],
  [
    "A really fast container of Go things",
    "A lightweight yet powerful container for the Go language",
    rename("A lightweight yet powerful container for the Go language"),
    rename("A lightweight yet powerful container for the Go language"),
  ],
])("[D80] the same edit of %s on several sides is there once: %s", (name, result, ...edits) => {
  expect(outcome(name, ...edits)).toBe(result);
});

test("[D80] it makes no difference whether a program writes before or behind what it replaces", () => {
  expect(outcome("Kotte", type(4, 1, "i"), rename("Kotti"))).toBe("Kotti");
  expect(outcome("Old title", rename("New title"), type(0, 3, "New"), rename("New title"))).toBe(
    "New title",
  );
  const { lab, key } = planted("Old title", 1);
  const device = lab.device(0);
  type(0, 1, "")(new Y.Text(), device, key);
  type(0, 2, "New")(new Y.Text(), device, key);
  lab.server.outline.update(key, { name: "New title" });
  device.unsent.push(Y.mergeUpdates(device.unsent.splice(0)));
  lab.meet();
  expect(device.outline.node(key)?.name).toBe("New title");
});

test("[D80] what clients without rules of their own do alike is there once", () => {
  const bold = raw((text) => {
    text.delete(0, 3);
    text.insert(0, "New", { b: true });
  });
  expect(outcome("Old title", bold, bold)).toBe("<b>New</b> title");
  const behind = raw((text) => text.insert(text.length, " (done)"));
  expect(outcome("Old title", behind, behind, behind)).toBe("Old title (done)");
});

test("[D80] what was corrected while it was typed counts as what it came to", () => {
  const atOnce = type(0, 1, "New title");
  const corrected: Edit = (text, device, key) => {
    type(0, 1, "New tile")(text, device, key);
    type(6, 0, "t")(text, device, key);
    type(0, 1, "")(text, device, key);
    type(0, 0, "N")(text, device, key);
  };
  expect(outcome("x", atOnce, corrected)).toBe("New title");
});

test("[D80] what only one side wrote beside it stays, whole", () => {
  const both = rename("Kotti and Anna");
  expect(outcome("Kotte", both, rename("Kotti and Anna"), type(0, 0, "Dear "))).toBe(
    "Dear Kotti and Anna",
  );
  expect(outcome("Meet Bob at 5", rename("Meet Tim at 6pm"), rename("Meet Bob at 6pm"))).toBe(
    "Meet Tim at 6pm",
  );
});

test("[D80] edits that differ in a format stay as they were written, each whole", () => {
  const bold = raw((text) => text.insert(7, "New", { b: true }));
  const plain = raw((text) => text.insert(7, "New"));
  expect(outcome("the day", bold, plain).match(/New/g)).toHaveLength(2);
});

test("[D80] a note that both changed alike says it once", () => {
  const { lab, key } = planted("x", 2);
  lab.server.outline.update(key, { note: "call Bob" });
  lab.pullAll();
  for (const { outline } of lab.devices) outline.update(key, { note: "call Bob at 5" });
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(key)?.note).toBe("call Bob at 5");
  }
});

test("[D81] fewer than three characters that replace nothing stay with both", () => {
  expect(outcome("title", type(5, 0, "s"), type(5, 0, "s"))).toBe("titless");
  expect(outcome("title", type(5, 0, "ha"), type(5, 0, "ha"))).toBe("titlehaha");
});

test("[D80] written minutes apart, one or two characters are the same edit too", () => {
  for (const [at, said] of [
    [5, "."],
    [5, "s"],
    [0, "A "],
  ] as const) {
    expect(outcomeApart(120, "title", type(at, 0, said), type(at, 0, said))).toBe(
      merged("title", [type(at, 0, said)], [0]),
    );
    const apart = type(at, 0, said);
    expect(outcomeApart(60, "title", apart, apart)).toBe(
      at === 0 ? `${said}${said}title` : `title${said}${said}`,
    );
  }
  // Who writes no marks of time may have written it at the same moment.
  const dot = raw((text) => text.insert(5, "."));
  expect(outcomeApart(300, "title", dot, rename("title."))).toBe("title..");
  expect(outcomeApart(300, "title", type(5, 0, "."), type(5, 0, "!"))).toMatch(/^title(\.!|!\.)$/);
});

test("[D81] what comes letter by letter from both is typed in front of them, and stays", () => {
  const { lab, key } = planted("x", 2);
  const [first, second] = [lab.device(0), lab.device(1)];
  for (let at = 0; at < 5; at++) {
    for (const device of [first, second]) {
      device.outline.editText(key, "name", (text) => text.insert(1 + at, "hello".charAt(at)));
      lab.push(device);
    }
  }
  lab.pullAll();
  expect(first.outline.node(key)?.name).toBe("xhellohello");
});

test("[D81] who has seen the text of another and writes the same behind it wants it twice", () => {
  const { lab, key } = planted("x", 2);
  const [first, second] = [lab.device(0), lab.device(1)];
  const typeVery = (device: Device, at: number, remove: number): void => {
    device.outline.editText(key, "name", (text) => {
      if (remove > 0) text.delete(at, remove);
      text.insert(at, "very ");
    });
    lab.meet();
  };
  typeVery(first, 0, 1);
  typeVery(second, 5, 0);
  typeVery(second, 0, 0);
  expect(first.outline.node(key)?.name).toBe("very very very ");
  expect(lab.server.repair.counts.sameEdit).toBe(0);
});

test("[D81] of equal edits the first in the text stays, and what is typed on after either fits", () => {
  for (const index of [0, 1]) {
    const { lab, key } = planted("x", 2);
    for (const { outline } of lab.devices) {
      outline.editText(key, "name", (text) => {
        text.delete(0, 1);
        text.insert(0, "New title");
      });
    }
    const writer = lab.device(index);
    const more = (): void => {
      writer.outline.editText(key, "name", (text) => text.insert(9, ", longer"));
    };
    const firstUpdates = lab.devices.map(({ unsent }) => unsent.splice(0));
    more();
    for (const [other, device] of lab.devices.entries()) {
      device.unsent.unshift(...(firstUpdates[other] ?? []));
    }
    const late = writer.unsent.pop();
    lab.meet();
    if (late !== undefined) writer.unsent.push(late);
    lab.meet();
    expect(lab.server.outline.node(key)?.name).toBe("New title, longer");
  }
});

test("[D81] devices that met without the server come to the same when they meet it", () => {
  const { lab, key } = planted("Kotte", 2);
  const [first, second] = [lab.device(0), lab.device(1)];
  for (const { outline } of lab.devices) outline.update(key, { name: "Kotti" });
  for (const update of second.unsent) first.receive(update);
  for (const update of first.unsent) second.receive(update);
  expect(first.outline.node(key)?.name).toBe("Kottii");
  expect(second.outline.node(key)?.name).toBe("Kottii");
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(key)?.name).toBe("Kotti");
  }
});

test("[D81] what was decided once is not decided again after a restart", () => {
  const { lab, key } = planted("Kotte", 3);
  for (const { outline } of lab.devices) outline.update(key, { name: "Kotti" });
  lab.push(lab.device(0));
  lab.push(lab.device(1));
  lab.server.saveSnapshot();
  lab.server.restart();
  expect(lab.server.repair.run()).toBe(false);
  lab.push(lab.device(2));
  expect(lab.server.outline.node(key)?.name).toBe("Kotti");
});

test("[D80] a name that both changed in a thousand places is right in all of them", () => {
  const words = Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(" ");
  const changed = words.replaceAll("w", "word");
  expect(outcome(words, rename(changed), rename(changed))).toBe(changed);
});
