import * as Y from "yjs";
import { expect, test } from "vitest";
import { adoptTimezone } from "../../../../client/app/first-run/adopt-timezone.ts";
import { plantFirstRun } from "../../../../client/app/first-run/plant-first-run.ts";
import type { Status } from "../../../../client/lib/status.ts";
import { richTextOfHtml } from "../../../../src/core/text/html.ts";
import { plainText } from "../../../../src/core/text/rich-text.ts";
import { keyOf, plant, shape } from "../../../support/outline-notation.ts";
import { type TestOutline, testOutline } from "./test-outline.ts";

const KEYS = {
  indent: "Tab",
  complete: "Ctrl+Enter",
  zoomIn: "Alt+→",
  zoomOut: "Alt+←",
  jump: "Ctrl+K",
  help: "Ctrl+/",
};

/** A replica of this outline whose status the test sets. */
function replicaOf({ outline, edits, history }: TestOutline, seq: number) {
  const listeners = new Set<(status: Status) => void>();
  const replica = {
    outline,
    edits,
    history,
    seq,
    status: {
      kind: "local",
      unsent: 0,
      lines: 0,
      since: undefined,
      cause: "unreachable",
    } as Status,
    onStatus(listener: (status: Status) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    replica,
    listeners,
    say: (status: Status): void => {
      replica.status = status;
      for (const listener of listeners) listener(status);
    },
  };
}

function plantIn(device: TestOutline, seq = 0) {
  const { replica, say, listeners } = replicaOf(device, seq);
  let planted = 0;
  plantFirstRun(replica, KEYS, "Europe/Vienna", () => (planted += 1));
  return { say, listeners, planted: () => planted };
}

test("[W82] an outline that was never written to is taught, once the server has said so", () => {
  const device = testOutline();
  const { say, listeners, planted } = plantIn(device);
  expect([planted(), device.outline.size]).toEqual([0, 0]);
  say({ kind: "saving", unsent: 0 });
  expect(planted()).toBe(0);
  say({ kind: "saved" });
  expect(planted()).toBe(1);
  expect(device.outline.size).toBeGreaterThan(10);
  expect(device.outline.settings().timezone).toBe("Europe/Vienna");
  expect(listeners.size).toBe(0);
  expect(device.history.undo(), "is no step that somebody has done").toBeUndefined();
});

test("[W82] it names the keys of this machine", () => {
  const device = testOutline();
  plantIn(device).say({ kind: "saved" });
  const text = [...device.outline.nodesInOrder()]
    .map(({ name }) => plainText(richTextOfHtml(name)))
    .join("\n");
  expect(Object.values(KEYS).filter((key) => !text.includes(key))).toEqual([]);
});

test("[W82] an outline with a past is left alone, also when it is empty again", () => {
  const used = testOutline();
  plant(used.outline, "mine");
  const emptied = testOutline();
  emptied.outline.remove(keyOf(plant(emptied.outline, "gone"), "gone"));
  for (const device of [used, emptied]) {
    const before = shape(device.outline);
    const { say, planted } = plantIn(device);
    say({ kind: "saved" });
    expect([planted(), shape(device.outline)]).toEqual([0, before]);
  }
});

test("[W82] nor is one of which the server has a log, whatever has come of it", () => {
  const device = testOutline();
  const { say, planted } = plantIn(device, 4);
  say({ kind: "saved" });
  expect([planted(), device.outline.size]).toEqual([0, 0]);
});

test("[W82] two devices that both find it empty make it once", () => {
  const [one, other] = [testOutline({ seed: 3 }), testOutline({ seed: 4 })];
  plantIn(one).say({ kind: "saved" });
  plantIn(other).say({ kind: "saved" });
  const alone = shape(one.outline);
  const [oneDoc, otherDoc] = [one.outline.doc, other.outline.doc];
  Y.applyUpdate(oneDoc, Y.encodeStateAsUpdate(otherDoc));
  Y.applyUpdate(otherDoc, Y.encodeStateAsUpdate(oneDoc));
  expect(shape(one.outline)).toBe(alone);
  expect(shape(other.outline)).toBe(alone);
});

test("[W203] an outline that began elsewhere takes over the time zone of the first device, which says so", () => {
  const device = testOutline();
  plant(device.outline, "imported");
  const { replica, say } = replicaOf(device, 3);
  let told = 0;
  const notices = { show: () => void (told += 1) };
  adoptTimezone({ replica, notices }, "America/New_York");
  expect(device.outline.settings().timezone).toBe("UTC");
  say({ kind: "saved" });
  expect([device.outline.settings().timezone, told]).toEqual(["America/New_York", 1]);
  // The next device is somewhere else.
  adoptTimezone({ replica, notices }, "Asia/Tokyo");
  expect([device.outline.settings().timezone, told]).toEqual(["America/New_York", 1]);
});

test("[W203] who chose the default has chosen", () => {
  const device = testOutline();
  device.outline.configure({ timezone: "UTC" });
  const { replica, say } = replicaOf(device, 1);
  adoptTimezone({ replica, notices: { show: () => undefined } }, "America/New_York");
  say({ kind: "saved" });
  expect(device.outline.settings().timezone).toBe("UTC");
});

test("[W203] a machine without a time zone of this world changes nothing", () => {
  const device = testOutline();
  const { replica, say } = replicaOf(device, 1);
  adoptTimezone({ replica, notices: { show: () => undefined } }, "Etc/Unknown");
  say({ kind: "saved" });
  expect(device.outline.settings().timezone).toBe("UTC");
});
