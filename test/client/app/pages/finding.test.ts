import { expect, test } from "vitest";
import { fuzzyScore, fuzzyWords } from "../../../../client/app/dialogs/fuzzy-score.ts";
import { NodeFinder } from "../../../../client/app/dialogs/node-finder.ts";
import { pathOf, titleOf } from "../../../../client/app/page/node-names.ts";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { keyOf, plant } from "../../../support/outline-notation.ts";
import { testOutline } from "./test-outline.ts";

function ranked(query: string, names: readonly string[]): readonly string[] {
  const words = fuzzyWords(query);
  return names
    .map((name) => ({ name, score: fuzzyScore(name.toLowerCase(), words) }))
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ name }) => name);
}

test("[W77] whole names before starts, starts before words, words before parts, letters last", () => {
  expect(
    ranked("plan", ["airplanes", "people like apples now", "Plan", "garden plan", "Planning"]),
  ).toEqual(["Plan", "Planning", "garden plan", "airplanes", "people like apples now"]);
});

test("[W77] all words must be there, in any order", () => {
  expect(ranked("trip italy", ["Italy: trip in May", "Trip to Spain", "Italian food"])).toEqual([
    "Italy: trip in May",
  ]);
});

test("[W77] scattered letters begin at the start of a word, and are at least three", () => {
  expect(ranked("gtd", ["get things done", "widget and dot"])).toEqual(["get things done"]);
  expect(ranked("gd", ["get done"])).toEqual([]);
});

function finderOf(favourites: (keys: ReturnType<typeof plant>) => readonly NodeKey[]) {
  const { outline } = testOutline();
  const keys = plant(outline, "work(plan report) home(plants planet) plane");
  const finder = new NodeFinder(outline, favourites(keys));
  for (const _ of finder.read());
  const titles = (found: readonly NodeKey[]) => found.map((key) => titleOf(outline, key));
  return { finder, keys, titles, outline };
}

test("[W77] without a query: the favourites that are still there", () => {
  const { finder, titles } = finderOf((keys) => [
    ROOT,
    keyOf(keys, "report"),
    "ffffffffffff" as NodeKey,
    keyOf(keys, "work"),
  ]);
  expect(titles(finder.find("", 10))).toEqual(["Home", "report", "work"]);
});

test("[W77] favourites come before what fits as well, and the list is limited", () => {
  const { finder, titles } = finderOf((keys) => [keyOf(keys, "planet")]);
  expect(titles(finder.find("pla", 3))).toEqual(["planet", "plan", "plane"]);
});

test("[W77] what is not accepted is not found", () => {
  const { finder, keys, titles, outline } = finderOf(() => []);
  const work = keyOf(keys, "work");
  const found = finder.find("plan", 10, (key) => !outline.contains(work, key));
  expect(titles(found)).toEqual(["plane", "plants", "planet"]);
});

test("[W77] a path leads from the top to the node, without it", () => {
  const { outline } = testOutline();
  const keys = plant(outline, "a(b(c))");
  expect(pathOf(outline, keyOf(keys, "c"))).toEqual(["a", "b"]);
  expect(pathOf(outline, keyOf(keys, "a"))).toEqual([]);
});
