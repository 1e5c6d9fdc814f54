import { expect, test } from "vitest";
import { starOf, suggestedStar } from "../../../../client/app/dialogs/star-name.ts";
import { trashedNodes } from "../../../../client/app/dialogs/trashed-nodes.ts";
import { keyOf, plant } from "../../../support/outline-notation.ts";
import { testOutline } from "./test-outline.ts";

test("[W80] the trash says where something was and what went with it, the last deleted first", () => {
  const { outline } = testOutline();
  const keys = plant(outline, "a(b(c d)) e");
  outline.trash(keyOf(keys, "e"), 3);
  outline.trash(keyOf(keys, "b"), 8);
  expect(trashedNodes(outline)).toEqual([
    { key: keyOf(keys, "b"), title: "b", place: "Home › a", below: 2 },
    { key: keyOf(keys, "e"), title: "e", place: "Home", below: 0 },
  ]);
});

test("[W80] what is deleted for good is not in it", () => {
  const { outline, edits } = testOutline();
  const keys = plant(outline, "a b");
  outline.remove(keyOf(keys, "a"));
  edits.trash([keyOf(keys, "b")]);
  expect(trashedNodes(outline).map(({ title }) => title)).toEqual(["b"]);
  edits.purge([keyOf(keys, "b")]);
  expect(trashedNodes(outline)).toEqual([]);
});

test("[W80] an empty line is not in it, unless it has a note or something below it", () => {
  const { outline, edits } = testOutline();
  const keys = plant(outline, "a(b) c d(e) f");
  const named = ["a", "b", "c", "d", "f"].map((name) => keyOf(keys, name));
  for (const key of named) outline.update(key, { name: "" });
  outline.update(keyOf(keys, "c"), { note: "still something" });
  edits.trash(named.filter((key) => key !== keyOf(keys, "a")));
  const listed = trashedNodes(outline).map(({ key }) => key);
  expect(listed.toSorted()).toEqual([keyOf(keys, "c"), keyOf(keys, "d")].toSorted());
});

test.for([
  ["Reading list", "reading-list"],
  ["  **Q3**: goals & plans! ", "q3-goals-plans"],
  ["Über uns", "über-uns"],
  ["inbox", "inbox-2"],
  ["2026-11-20", "2026-11-20-2"],
  ["!!!", "star-1"],
] as const)("[W81] a star for %j is called %s", ([name, expected]) => {
  const { outline } = testOutline();
  const made = outline.create({ parent: keyOf(plant(outline, "top"), "top"), name });
  if (made.kind !== "created") throw new Error(made.kind);
  const suggestion = suggestedStar(outline, made.key);
  expect(suggestion).toBe(expected);
  expect(outline.setShortcut(suggestion, made.key)).toEqual({ kind: "ok" });
  expect(starOf(outline, made.key)).toBe(expected);
});

test("[W81] a name that is taken is numbered", () => {
  const { outline } = testOutline();
  const keys = plant(outline, "plan(x) other");
  outline.setShortcut("Plan", keyOf(keys, "other"));
  expect(suggestedStar(outline, keyOf(keys, "plan"))).toBe("plan-2");
  expect(starOf(outline, keyOf(keys, "plan"))).toBe(undefined);
});
