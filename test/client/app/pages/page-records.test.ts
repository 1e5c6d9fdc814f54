import { expect, test } from "vitest";
import { keepView } from "../../../../client/app/page/keep-view.ts";
import { readKeptView } from "../../../../client/app/page/kept-view.ts";
import {
  readRememberedOutline,
  rememberOutline,
  storeNameOf,
} from "../../../../client/app/page/remembered-outline.ts";
import { devicePreferences } from "../../../../client/app/settings/device-preferences.ts";
import type { OutlineId } from "../../../../src/core/node-key.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { keyOf, plant } from "../../../support/outline-notation.ts";
import { testOutline } from "./test-outline.ts";
import { testStorage } from "./test-storage.ts";

const MINE = "0123456789ab8cdea123" as OutlineId;
const OTHER = "fedcba98765481239abc" as OutlineId;

test("[W71] a browser knows whose outline it has, until it forgets", () => {
  const storage = testStorage();
  rememberOutline(storage, { outline: MINE, user: "me" });
  expect(readRememberedOutline(storage)).toEqual({ outline: MINE, user: "me" });
  rememberOutline(storage, undefined);
  expect(readRememberedOutline(storage)).toBe(undefined);
});

test.for([null, 5, [], {}, { outline: MINE }, { outline: "x", user: "me" }, "text"])(
  "[W71] %j is nobody's outline",
  (value) => {
    expect(readRememberedOutline(testStorage({ "signed-in": value }))).toBe(undefined);
  },
);

test("[W71] every outline has a store of its own", () => {
  expect(storeNameOf(MINE)).not.toBe(storeNameOf(OTHER));
});

function keptOf(count: number) {
  const { outline } = testOutline();
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
  const keys = plant(outline, `top(${names.join(" ")})`);
  const rows = names.map((name) => ({
    key: keyOf(keys, name),
    id: keyOf(keys, name),
    depth: 0,
    hasChildren: false,
    isExpanded: false,
    isContext: false,
  }));
  return { outline, rows, zoom: keyOf(keys, "top") };
}

test("[W72] the first rows of the last view are kept, with the place they are at", () => {
  const storage = testStorage();
  const { outline, rows, zoom } = keptOf(100);
  const [first] = rows;
  outline.update(first?.key ?? ROOT, { name: "**bold** word", completed: true });
  keepView(storage, outline, zoom, rows);
  const kept = readKeptView(storage, outline.id, zoom);
  expect(kept?.title).toBe("top");
  expect(kept?.rows.length).toBe(60);
  expect(kept?.rows[0]).toEqual({
    key: first?.key,
    depth: 0,
    name: [{ insert: "bold", attributes: { b: true } }, { insert: " word" }],
    note: "",
    layout: "bullets",
    isCompleted: true,
    hasChildren: false,
    isExpanded: false,
  });
});

test("[W72] a note is kept as it reads", () => {
  const storage = testStorage();
  const { outline, rows, zoom } = keptOf(1);
  outline.update(rows[0]?.key ?? ROOT, { note: "<b>R&amp;D</b> &lt;late&gt;\nand more" });
  keepView(storage, outline, zoom, rows);
  expect(readKeptView(storage, outline.id, zoom)?.rows[0]?.note).toBe("R&D <late>\nand more");
});

test("[W72] a view of another outline or another place is not shown", () => {
  const storage = testStorage();
  const { outline, rows, zoom } = keptOf(3);
  keepView(storage, outline, zoom, rows);
  expect(readKeptView(storage, outline.id, zoom)).toBeDefined();
  expect(readKeptView(storage, OTHER, zoom)).toBe(undefined);
  expect(readKeptView(storage, outline.id, ROOT)).toBe(undefined);
});

test("[W72] a record that is not whole is no view", () => {
  const row = { key: "abcdefabcdef", depth: 0, name: [{ insert: "x" }], layout: "bullets" };
  const view = { outline: MINE, zoom: ROOT, title: "", rows: [row] };
  expect(readKeptView(testStorage({ view }), MINE, ROOT)?.rows.length).toBe(1);
  for (const wrong of [
    { ...row, key: "x" },
    { ...row, name: "x" },
    { ...row, name: [{ insert: 5 }] },
    { ...row, name: [{ insert: "x", attributes: { a: {} } }] },
    { ...row, layout: "no word" },
    null,
  ]) {
    const storage = testStorage({ view: { ...view, rows: [row, wrong] } });
    expect([wrong, readKeptView(storage, MINE, ROOT)]).toEqual([wrong, undefined]);
  }
});

test("[W83] preferences outlive the page", () => {
  const storage = testStorage();
  const before = devicePreferences(storage);
  expect(before.showsPlaces.get()).toBe(true);
  before.theme.set("dark");
  before.textSize.set("large");
  before.hidesCompleted.set(true);
  before.showsPlaces.set(false);
  const after = devicePreferences(storage);
  const cells = [after.theme, after.textSize, after.hidesCompleted, after.showsPlaces];
  expect(cells.map((cell) => cell.get())).toEqual(["dark", "large", true, false]);
  // As an earlier version has kept it.
  expect(devicePreferences(testStorage({ sidebar: false })).showsPlaces.get()).toBe(false);
});

test.for([undefined, null, 3, { theme: "pink", textSize: 12, hidesCompleted: "yes" }])(
  "[W83] %j are the usual preferences",
  (stored) => {
    const { theme, textSize, hidesCompleted } = devicePreferences(
      testStorage(stored === undefined ? {} : { preferences: stored }),
    );
    expect([theme.get(), textSize.get(), hidesCompleted.get()]).toEqual([
      "system",
      "medium",
      false,
    ]);
  },
);
